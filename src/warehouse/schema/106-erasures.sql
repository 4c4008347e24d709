-- Which accounts have been erased: nothing of an account up to the version is stored again.

CREATE TABLE IF NOT EXISTS {database}.account_erasures{local}{everywhere}
(
    account LowCardinality(String),
    version UInt128,
    erased_at DateTime('UTC')
)
ENGINE = {Replicated}ReplacingMergeTree(version)
ORDER BY account
SETTINGS
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.account_erasures{everywhere} AS {database}.account_erasures{local}
ENGINE = Distributed({cluster}, {database}, account_erasures{local}, cityHash64(account));
