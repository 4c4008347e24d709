-- Analysts of one account: copy this file for each, with its name in place of acme.
--
--   CREATE USER jane IDENTIFIED BY '…';
--   GRANT analyst_acme TO jane;

CREATE ROLE IF NOT EXISTS analyst_acme;

GRANT analyst TO analyst_acme;

CREATE ROW POLICY IF NOT EXISTS analyst_acme
ON
    cost,
    self_serve,
    metric_sightings,
    metric_archivals,
    request_transitions
USING account = 'acme'
TO analyst_acme;
