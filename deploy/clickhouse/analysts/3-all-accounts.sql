-- Analysts who may see every account, such as the user of a Grafana that only they can reach.

CREATE ROLE IF NOT EXISTS analyst_of_all;

GRANT analyst TO analyst_of_all;

CREATE ROW POLICY IF NOT EXISTS analyst_of_all
ON
    custom_data.cost,
    custom_data.self_serve,
    custom_data.metric_sightings,
    custom_data.metric_archivals,
    custom_data.request_transitions
USING 1
TO analyst_of_all;
