-- Inserts that only show whether the server has memory for an upload: ingest makes them while one
-- waits for memory. Nobody reads them; a minute later they are gone, with the next clean-up.

CREATE TABLE IF NOT EXISTS {database}.insert_probes{local}{everywhere}
(
    account LowCardinality(String),
    number UInt64,
    payload String,
    inserted_at DateTime('UTC') DEFAULT now()
)
ENGINE = {Replicated}MergeTree
ORDER BY number
TTL inserted_at + INTERVAL 1 MINUTE
SETTINGS
    ttl_only_drop_parts = 1,
    merge_with_ttl_timeout = 60,
    min_bytes_for_wide_part = 268435456,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.insert_probes{everywhere} AS {database}.insert_probes{local}
ENGINE = Distributed({cluster}, {database}, insert_probes{local}, cityHash64(account));
