-- Who did what and when. All columns are the key: what is written again is one row.

CREATE TABLE IF NOT EXISTS {database}.audit_events{local}{everywhere}
(
    account LowCardinality(String),
    at DateTime64(3, 'UTC'),
    action LowCardinality(String),
    subject String,
    actor String
)
ENGINE = {Replicated}ReplacingMergeTree
-- What deletes old events writes only the parts of their months again.
PARTITION BY toYYYYMM(at)
ORDER BY (account, at, action, subject, actor)
SETTINGS
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.audit_events{everywhere} AS {database}.audit_events{local}
ENGINE = Distributed({cluster}, {database}, audit_events{local}, cityHash64(account));
