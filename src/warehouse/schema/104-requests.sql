-- Every transition of every request; the furthest one is the request's state.

CREATE TABLE IF NOT EXISTS {database}.request_transitions{local}{everywhere}
(
    request_id UUID,
    account LowCardinality(String),
    family LowCardinality(String),
    status LowCardinality(String),
    prev_status Nullable(String),
    reason Nullable(String),
    created_at DateTime('UTC'),
    updated_at DateTime('UTC'),
    version UInt128,
    -- The unpacked CSV bytes of the upload that the log keeps; 0 where an older record lacks them.
    csv_bytes UInt64,
    -- How many data rows have come how far.
    rows_validated UInt64,
    rows_stored UInt64,
    rows_read_back UInt64,
    -- Of a request the highest stays: the rank of the status above, the earlier of two equal ones.
    precedence UInt64
)
ENGINE = {Replicated}ReplacingMergeTree(precedence)
-- All transitions of a request have its created_at, so they are in one partition. Only a query that
-- says so (do_not_merge_across_partitions_select_final) leaves out months in spite of FINAL.
PARTITION BY toYYYYMM(created_at)
ORDER BY request_id
SETTINGS
    index_granularity = 1024,
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.request_transitions{everywhere} AS {database}.request_transitions{local}
ENGINE = Distributed({cluster}, {database}, request_transitions{local}, cityHash64(account));

CREATE VIEW IF NOT EXISTS {database}.upload_requests{everywhere}
AS SELECT
    request_id,
    account,
    family,
    status,
    prev_status,
    reason,
    created_at,
    updated_at
FROM {database}.request_transitions FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

-- One row per account, family and day on which requests were made (UTC).
CREATE VIEW IF NOT EXISTS {database}.upload_activity{everywhere}
AS SELECT
    account,
    family,
    toDate(created_at) AS day,
    count() AS uploads,
    countIf(status = 'uploaded') AS uploaded,
    countIf(status = 'validated') AS validated,
    countIf(status = 'ingested') AS ingested,
    countIf(status = 'succeeded') AS succeeded,
    countIf(status = 'failed') AS failed,
    sumMap(
        mapFromArrays(
            JSONExtractKeys(ifNull(reason, '')) AS named,
            arrayWithConstant(length(named), 1)
        )
    ) AS failed_columns,
    sum(rows_stored) AS rows,
    sum(csv_bytes) AS bytes
FROM {database}.request_transitions FINAL
GROUP BY account, family, day
SETTINGS do_not_merge_across_partitions_select_final = 1;
