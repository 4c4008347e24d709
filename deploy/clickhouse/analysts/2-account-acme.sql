-- Analysts of one account: copy this file for each, with its name in place of acme.
--
--   CREATE USER jane IDENTIFIED BY '…';
--   GRANT analyst_acme TO jane;

CREATE ROLE IF NOT EXISTS analyst_acme;

GRANT analyst TO analyst_acme;

CREATE ROW POLICY IF NOT EXISTS analyst_acme
ON
    custom_data.cost,
    custom_data.self_serve,
    custom_data.metric_sightings,
    custom_data.metric_archivals,
    custom_data.request_transitions
USING account = 'acme'
TO analyst_acme;
