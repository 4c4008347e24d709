-- Analysts who may see every account, such as the user of a Grafana that only they can reach.

CREATE ROLE IF NOT EXISTS analyst_of_all;

GRANT analyst TO analyst_of_all;

CREATE ROW POLICY IF NOT EXISTS analyst_of_all
ON
    cost,
    self_serve,
    metric_sightings,
    metric_archivals,
    request_transitions
USING 1
TO analyst_of_all;
