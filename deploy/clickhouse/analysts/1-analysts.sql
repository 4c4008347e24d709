-- Who may read what on a ClickHouse server. A user with access management runs this in the database
-- of the service (CLICKHOUSE_DATABASE), before or after `custom-data migrate`.
--
-- A user has one of the roles below `analyst` (2-account-acme.sql, 3-all-accounts.sql).

CREATE SETTINGS PROFILE IF NOT EXISTS analyst;

-- By itself, so that a later version of it takes effect.
ALTER SETTINGS PROFILE analyst SETTINGS
    readonly = 1,
    -- Clients send these two. 65 is what Grafana asks for; 0 would be no limit.
    max_execution_time = 60 MIN 1 MAX 120 CHANGEABLE_IN_READONLY,
    enable_http_compression = 0 CHANGEABLE_IN_READONLY,
    max_memory_usage = 2147483648,
    -- A report over millions of groups is slow, not refused. The sort's is of each thread.
    max_bytes_before_external_group_by = 1073741824,
    max_bytes_ratio_before_external_sort = 0,
    max_bytes_before_external_sort = 67108864,
    -- What groups write is limited. What sorts write is not counted (ClickHouse issue 105638): they end
    -- when the disk has 2 GiB left.
    max_temporary_data_on_disk_size_for_query = 8589934592,
    max_temporary_data_on_disk_size_for_user = 34359738368,
    min_free_disk_space_for_temporary_data = 2147483648,
    max_concurrent_queries_for_user = 8;

CREATE ROLE IF NOT EXISTS analyst SETTINGS PROFILE 'analyst';

GRANT SELECT ON cost_summary TO analyst;
GRANT SELECT ON cost_report TO analyst;
GRANT SELECT ON cost_rows TO analyst;
GRANT SELECT ON self_serve_summary TO analyst;
GRANT SELECT ON self_serve_report TO analyst;
GRANT SELECT ON self_serve_rows TO analyst;
GRANT SELECT ON metrics TO analyst;
GRANT SELECT ON upload_requests TO analyst;
GRANT SELECT ON upload_activity TO analyst;
GRANT SELECT ON data_freshness TO analyst;
GRANT SELECT ON spelling_variants TO analyst;

-- A view reads its tables with the rights of who asks, and with the row policies of who asks.
GRANT SELECT ON cost TO analyst;
GRANT SELECT ON self_serve TO analyst;
GRANT SELECT ON metric_sightings TO analyst;
GRANT SELECT ON metric_archivals TO analyst;
GRANT SELECT ON request_transitions TO analyst;

-- An analyst without a role for an account sees no rows.
CREATE ROW POLICY IF NOT EXISTS analyst_nothing
ON
    cost,
    self_serve,
    metric_sightings,
    metric_archivals,
    request_transitions
USING 0
TO analyst;

-- Where `users_without_row_policies_can_read_rows` is off, the service itself would see none either.
CREATE ROW POLICY IF NOT EXISTS others_everything
ON
    cost,
    self_serve,
    metric_sightings,
    metric_archivals,
    request_transitions
USING 1
TO ALL EXCEPT analyst;
