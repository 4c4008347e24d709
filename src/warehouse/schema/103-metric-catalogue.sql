-- The metric catalogue: which names were uploaded when, and which are archived.

CREATE TABLE IF NOT EXISTS {database}.metric_sightings{local}{everywhere}
(
    account LowCardinality(String),
    name String,
    first_seen SimpleAggregateFunction(min, DateTime('UTC')),
    last_seen SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = {Replicated}AggregatingMergeTree
ORDER BY (account, name)
SETTINGS
    max_cleanup_delay_period = 30,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.metric_sightings{everywhere} AS {database}.metric_sightings{local}
ENGINE = Distributed({cluster}, {database}, metric_sightings{local}, cityHash64(account));

CREATE MATERIALIZED VIEW IF NOT EXISTS {database}.metric_sightings_of_self_serve{everywhere}
TO {database}.metric_sightings{local}
AS SELECT
    account,
    event_category AS name,
    min(uploaded_at) AS first_seen,
    max(uploaded_at) AS last_seen
FROM {database}.self_serve{local}
GROUP BY account, name;

CREATE TABLE IF NOT EXISTS {database}.metric_archivals{local}{everywhere}
(
    account LowCardinality(String),
    name String,
    archived Bool,
    changed_at DateTime('UTC'),
    version UInt128
)
ENGINE = {Replicated}ReplacingMergeTree(version)
ORDER BY (account, name)
SETTINGS
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1,
    replicated_deduplication_window = 0;

{on a cluster} CREATE TABLE IF NOT EXISTS {database}.metric_archivals{everywhere} AS {database}.metric_archivals{local}
ENGINE = Distributed({cluster}, {database}, metric_archivals{local}, cityHash64(account));

CREATE VIEW IF NOT EXISTS {database}.metrics{everywhere}
AS SELECT
    sightings.account AS account,
    sightings.name AS name,
    sightings.first_seen AS first_seen,
    sightings.last_seen AS last_seen,
    -- A reader may have set join_use_nulls.
    ifNull(archivals.archived, false) AS archived
FROM {database}.metric_sightings AS sightings FINAL
{GLOBAL}LEFT JOIN {database}.metric_archivals AS archivals FINAL
    ON archivals.account = sightings.account AND archivals.name = sightings.name;
