-- The schema as it is once every script has run. Written by a test, never by hand.

CREATE TABLE custom_data.account_erasures
(
    `account` LowCardinality(String),
    `version` UInt128,
    `erased_at` DateTime('UTC')
)
ENGINE = ReplacingMergeTree(version)
ORDER BY account
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0, index_granularity = 8192;

CREATE TABLE custom_data.audit_events
(
    `account` LowCardinality(String),
    `at` DateTime64(3, 'UTC'),
    `action` LowCardinality(String),
    `subject` String,
    `actor` String
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (account, at, action, subject, actor)
SETTINGS max_cleanup_delay_period = 30, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0, index_granularity = 8192;

CREATE TABLE custom_data.cost
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `campaign` String,
    `version` UInt128,
    `request_id` UUID,
    `uploaded_at` DateTime('UTC'),
    `combinations` Array(Tuple(
        impressions UInt64,
        clicks UInt64,
        cost Float64,
        currency String,
        campaign_id String,
        ad_group String,
        ad_creative String,
        country String,
        os_name String,
        texts String)),
    `csv_rows` Array(Tuple(
        impressions UInt64,
        clicks UInt64,
        cost Float64,
        texts String)),
    `totals` Array(Tuple(
        currency String,
        impressions UInt64,
        clicks UInt64,
        cost Float64)),
    INDEX version_range version TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (account, date, channel, campaign)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 268435456, vertical_merge_algorithm_min_columns_to_activate = 1, string_serialization_version = 'single_stream', merge_selector_base = 10, max_cleanup_delay_period = 30, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0;

CREATE VIEW custom_data.cost_report
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `currency` String,
    `campaign` String,
    `campaign_id` String,
    `ad_group` String,
    `ad_group_id` String,
    `ad_creative` String,
    `ad_creative_id` String,
    `term` String,
    `term_id` String,
    `ad_account` String,
    `ad_account_id` String,
    `sub_publisher` String,
    `sub_sub_publisher_1` String,
    `sub_sub_publisher_2` String,
    `sub_sub_publisher_3` String,
    `country` String,
    `os_name` String,
    `impressions` UInt64,
    `clicks` UInt64,
    `cost` Float64
)
AS SELECT
    account,
    date,
    channel,
    currency,
    campaign,
    campaign_id,
    ad_group,
    (splitByChar('\0', texts) AS others)[1] AS ad_group_id,
    ad_creative,
    others[2] AS ad_creative_id,
    others[3] AS term,
    others[4] AS term_id,
    others[5] AS ad_account,
    others[6] AS ad_account_id,
    others[7] AS sub_publisher,
    others[8] AS sub_sub_publisher_1,
    others[9] AS sub_sub_publisher_2,
    others[10] AS sub_sub_publisher_3,
    country,
    os_name,
    impressions,
    clicks,
    cost
FROM custom_data.cost
FINAL
ARRAY JOIN
    combinations.impressions AS impressions,
    combinations.clicks AS clicks,
    combinations.cost AS cost,
    combinations.currency AS currency,
    combinations.campaign_id AS campaign_id,
    combinations.ad_group AS ad_group,
    combinations.ad_creative AS ad_creative,
    combinations.country AS country,
    combinations.os_name AS os_name,
    combinations.texts AS texts
SETTINGS merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1, optimize_move_to_prewhere_if_final = 1;

CREATE VIEW custom_data.cost_rows
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `currency` String,
    `campaign` String,
    `impressions` UInt64,
    `clicks` UInt64,
    `cost` Float64,
    `campaign_id` String,
    `ad_group` String,
    `ad_group_id` String,
    `ad_creative` String,
    `ad_creative_id` String,
    `term` String,
    `term_id` String,
    `ad_account` String,
    `ad_account_id` String,
    `sub_publisher` String,
    `sub_sub_publisher_1` String,
    `sub_sub_publisher_2` String,
    `sub_sub_publisher_3` String,
    `country` String,
    `os_name` String,
    `request_id` UUID,
    `uploaded_at` DateTime('UTC')
)
AS SELECT
    account,
    date,
    channel,
    currency,
    campaign,
    impressions,
    clicks,
    cost,
    campaign_id,
    ad_group,
    (splitByChar('\0', texts) AS others)[1] AS ad_group_id,
    ad_creative,
    others[2] AS ad_creative_id,
    others[3] AS term,
    others[4] AS term_id,
    others[5] AS ad_account,
    others[6] AS ad_account_id,
    others[7] AS sub_publisher,
    others[8] AS sub_sub_publisher_1,
    others[9] AS sub_sub_publisher_2,
    others[10] AS sub_sub_publisher_3,
    country,
    os_name,
    request_id,
    uploaded_at
FROM custom_data.cost
FINAL
ARRAY JOIN
    combinations.impressions AS impressions,
    combinations.clicks AS clicks,
    combinations.cost AS cost,
    combinations.currency AS currency,
    combinations.campaign_id AS campaign_id,
    combinations.ad_group AS ad_group,
    combinations.ad_creative AS ad_creative,
    combinations.country AS country,
    combinations.os_name AS os_name,
    combinations.texts AS texts
WHERE csv_rows.size0 = 0
UNION ALL
SELECT
    account,
    date,
    channel,
    (splitByChar('\0', texts) AS split)[1] AS currency,
    campaign,
    impressions,
    clicks,
    cost,
    split[2] AS campaign_id,
    split[3] AS ad_group,
    split[7] AS ad_group_id,
    split[4] AS ad_creative,
    split[8] AS ad_creative_id,
    split[9] AS term,
    split[10] AS term_id,
    split[11] AS ad_account,
    split[12] AS ad_account_id,
    split[13] AS sub_publisher,
    split[14] AS sub_sub_publisher_1,
    split[15] AS sub_sub_publisher_2,
    split[16] AS sub_sub_publisher_3,
    split[5] AS country,
    split[6] AS os_name,
    request_id,
    uploaded_at
FROM custom_data.cost
FINAL
ARRAY JOIN
    csv_rows.impressions AS impressions,
    csv_rows.clicks AS clicks,
    csv_rows.cost AS cost,
    csv_rows.texts AS texts;

CREATE VIEW custom_data.cost_summary
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `campaign` String,
    `currency` String,
    `impressions` UInt64,
    `clicks` UInt64,
    `cost` Float64
)
AS SELECT
    account,
    date,
    channel,
    campaign,
    currency,
    impressions,
    clicks,
    cost
FROM custom_data.cost
FINAL
ARRAY JOIN
    totals.currency AS currency,
    totals.impressions AS impressions,
    totals.clicks AS clicks,
    totals.cost AS cost
SETTINGS merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1, optimize_move_to_prewhere_if_final = 1;

CREATE VIEW custom_data.data_freshness
(
    `account` LowCardinality(String),
    `family` String,
    `channel` LowCardinality(String),
    `first_date` Date,
    `last_date` Date,
    `last_upload` DateTime('UTC'),
    `missing_days` Array(Date)
)
AS SELECT
    account,
    family,
    channel,
    first_date,
    last_date,
    last_upload,
    arrayFilter(day -> ((day > first_date) AND (NOT has(days, day))), arrayMap(place -> ((toDate(now('UTC')) - 90) + place), range(90))) AS missing_days
FROM
(
    SELECT
        account,
        'cost' AS family,
        channel,
        min(date) AS first_date,
        max(date) AS last_date,
        max(uploaded_at) AS last_upload,
        groupUniqArrayIf(date, date >= (toDate(now('UTC')) - 90)) AS days
    FROM custom_data.cost
    FINAL
    WHERE totals.size0 != 0
    GROUP BY
        account,
        channel
    UNION ALL
    SELECT
        account,
        'self-serve' AS family,
        channel,
        min(date) AS first_date,
        max(date) AS last_date,
        max(uploaded_at) AS last_upload,
        groupUniqArrayIf(date, date >= (toDate(now('UTC')) - 90)) AS days
    FROM custom_data.self_serve
    FINAL
    WHERE (account, event_category) NOT IN (
        SELECT
            account,
            name
        FROM custom_data.metric_archivals
        FINAL
        WHERE archived
    )
    GROUP BY
        account,
        channel
)
SETTINGS merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1, optimize_move_to_prewhere_if_final = 1;

CREATE TABLE custom_data.insert_probes
(
    `account` LowCardinality(String),
    `number` UInt64,
    `payload` String,
    `inserted_at` DateTime('UTC') DEFAULT now()
)
ENGINE = MergeTree
ORDER BY number
TTL inserted_at + toIntervalMinute(1)
SETTINGS ttl_only_drop_parts = 1, merge_with_ttl_timeout = 60, min_bytes_for_wide_part = 268435456, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0, index_granularity = 8192;

CREATE TABLE custom_data.metric_archivals
(
    `account` LowCardinality(String),
    `name` String,
    `archived` Bool,
    `changed_at` DateTime('UTC'),
    `version` UInt128
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (account, name)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0, index_granularity = 8192;

CREATE TABLE custom_data.metric_sightings
(
    `account` LowCardinality(String),
    `name` String,
    `first_seen` SimpleAggregateFunction(min, DateTime('UTC')),
    `last_seen` SimpleAggregateFunction(max, DateTime('UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (account, name)
SETTINGS max_cleanup_delay_period = 30, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0, index_granularity = 8192;

CREATE MATERIALIZED VIEW custom_data.metric_sightings_of_self_serve TO custom_data.metric_sightings
(
    `account` LowCardinality(String),
    `name` String,
    `first_seen` DateTime('UTC'),
    `last_seen` DateTime('UTC')
)
AS SELECT
    account,
    event_category AS name,
    min(uploaded_at) AS first_seen,
    max(uploaded_at) AS last_seen
FROM custom_data.self_serve
GROUP BY
    account,
    name;

CREATE VIEW custom_data.metrics
(
    `account` LowCardinality(String),
    `name` String,
    `first_seen` SimpleAggregateFunction(min, DateTime('UTC')),
    `last_seen` SimpleAggregateFunction(max, DateTime('UTC')),
    `archived` Bool
)
AS SELECT
    sightings.account AS account,
    sightings.name AS name,
    sightings.first_seen AS first_seen,
    sightings.last_seen AS last_seen,
    ifNull(archivals.archived, false) AS archived
FROM custom_data.metric_sightings AS sightings
FINAL
LEFT JOIN custom_data.metric_archivals AS archivals
FINAL ON (archivals.account = sightings.account) AND (archivals.name = sightings.name);

CREATE TABLE custom_data.request_transitions
(
    `request_id` UUID,
    `account` LowCardinality(String),
    `family` LowCardinality(String),
    `status` LowCardinality(String),
    `prev_status` Nullable(String),
    `reason` Nullable(String),
    `created_at` DateTime('UTC'),
    `updated_at` DateTime('UTC'),
    `version` UInt128,
    `csv_bytes` UInt64,
    `rows_validated` UInt64,
    `rows_stored` UInt64,
    `rows_read_back` UInt64,
    `precedence` UInt64
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(created_at)
ORDER BY request_id
SETTINGS index_granularity = 1024, max_cleanup_delay_period = 30, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0;

CREATE TABLE custom_data.schema_migrations
(
    `number` UInt16,
    `name` String,
    `digest` String,
    `applied_at` DateTime('UTC') DEFAULT now()
)
ENGINE = ReplacingMergeTree
ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, index_granularity = 8192;

CREATE TABLE custom_data.self_serve
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `event_category` String,
    `version` UInt128,
    `request_id` UUID,
    `uploaded_at` DateTime('UTC'),
    `combinations` Array(Tuple(
        event_value Float64,
        campaign String,
        ad_group String,
        ad_creative String,
        os_name String,
        country String,
        texts String)),
    `csv_rows` Array(Tuple(
        event_value Float64,
        texts String)),
    INDEX version_range version TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (account, date, channel, event_category)
SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 268435456, vertical_merge_algorithm_min_columns_to_activate = 1, string_serialization_version = 'single_stream', merge_selector_base = 10, max_cleanup_delay_period = 30, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, replicated_deduplication_window = 0;

CREATE VIEW custom_data.self_serve_report
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `event_category` String,
    `campaign` String,
    `ad_group` String,
    `ad_creative` String,
    `content` String,
    `event_source` String,
    `os_name` String,
    `term` String,
    `country` String,
    `currency` String,
    `sub_publisher` String,
    `sub_sub_publisher_1` String,
    `sub_sub_publisher_2` String,
    `sub_sub_publisher_3` String,
    `is_first_event_per_device_id` Nullable(Bool),
    `is_first_event_per_user_id` Nullable(Bool),
    `event_value` Float64
)
AS SELECT
    account,
    date,
    channel,
    event_category,
    campaign,
    ad_group,
    ad_creative,
    (splitByChar('\0', texts) AS others)[1] AS content,
    others[2] AS event_source,
    os_name,
    others[3] AS term,
    country,
    others[4] AS currency,
    others[5] AS sub_publisher,
    others[6] AS sub_sub_publisher_1,
    others[7] AS sub_sub_publisher_2,
    others[8] AS sub_sub_publisher_3,
    CAST(nullIf(others[9], ''), 'Nullable(Bool)') AS is_first_event_per_device_id,
    CAST(nullIf(others[10], ''), 'Nullable(Bool)') AS is_first_event_per_user_id,
    event_value
FROM custom_data.self_serve
FINAL
ARRAY JOIN
    combinations.event_value AS event_value,
    combinations.campaign AS campaign,
    combinations.ad_group AS ad_group,
    combinations.ad_creative AS ad_creative,
    combinations.os_name AS os_name,
    combinations.country AS country,
    combinations.texts AS texts
WHERE (account, event_category) NOT IN (
    SELECT
        account,
        name
    FROM custom_data.metric_archivals
    FINAL
    WHERE archived
)
SETTINGS merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1, optimize_move_to_prewhere_if_final = 1;

CREATE VIEW custom_data.self_serve_rows
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `event_category` String,
    `event_value` Float64,
    `campaign` String,
    `ad_group` String,
    `ad_creative` String,
    `content` String,
    `event_source` String,
    `os_name` String,
    `term` String,
    `country` String,
    `currency` String,
    `sub_publisher` String,
    `sub_sub_publisher_1` String,
    `sub_sub_publisher_2` String,
    `sub_sub_publisher_3` String,
    `is_first_event_per_device_id` Nullable(Bool),
    `is_first_event_per_user_id` Nullable(Bool),
    `request_id` UUID,
    `uploaded_at` DateTime('UTC')
)
AS SELECT
    account,
    date,
    channel,
    event_category,
    event_value,
    campaign,
    ad_group,
    ad_creative,
    (splitByChar('\0', texts) AS others)[1] AS content,
    others[2] AS event_source,
    os_name,
    others[3] AS term,
    country,
    others[4] AS currency,
    others[5] AS sub_publisher,
    others[6] AS sub_sub_publisher_1,
    others[7] AS sub_sub_publisher_2,
    others[8] AS sub_sub_publisher_3,
    CAST(nullIf(others[9], ''), 'Nullable(Bool)') AS is_first_event_per_device_id,
    CAST(nullIf(others[10], ''), 'Nullable(Bool)') AS is_first_event_per_user_id,
    request_id,
    uploaded_at
FROM custom_data.self_serve
FINAL
ARRAY JOIN
    combinations.event_value AS event_value,
    combinations.campaign AS campaign,
    combinations.ad_group AS ad_group,
    combinations.ad_creative AS ad_creative,
    combinations.os_name AS os_name,
    combinations.country AS country,
    combinations.texts AS texts
WHERE csv_rows.size0 = 0
UNION ALL
SELECT
    account,
    date,
    channel,
    event_category,
    event_value,
    (splitByChar('\0', texts) AS split)[1] AS campaign,
    split[2] AS ad_group,
    split[3] AS ad_creative,
    split[6] AS content,
    split[7] AS event_source,
    split[4] AS os_name,
    split[8] AS term,
    split[5] AS country,
    split[9] AS currency,
    split[10] AS sub_publisher,
    split[11] AS sub_sub_publisher_1,
    split[12] AS sub_sub_publisher_2,
    split[13] AS sub_sub_publisher_3,
    CAST(nullIf(split[14], ''), 'Nullable(Bool)') AS is_first_event_per_device_id,
    CAST(nullIf(split[15], ''), 'Nullable(Bool)') AS is_first_event_per_user_id,
    request_id,
    uploaded_at
FROM custom_data.self_serve
FINAL
ARRAY JOIN
    csv_rows.event_value AS event_value,
    csv_rows.texts AS texts;

CREATE VIEW custom_data.self_serve_summary
(
    `account` LowCardinality(String),
    `date` Date,
    `channel` LowCardinality(String),
    `event_category` String,
    `event_value` Float64
)
AS SELECT
    account,
    date,
    channel,
    event_category,
    arraySum(combinations.event_value) AS event_value
FROM custom_data.self_serve
FINAL
WHERE (account, event_category) NOT IN (
    SELECT
        account,
        name
    FROM custom_data.metric_archivals
    FINAL
    WHERE archived
)
SETTINGS merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1, optimize_move_to_prewhere_if_final = 1;

CREATE VIEW custom_data.spelling_variants
(
    `account` LowCardinality(String),
    `column` String,
    `plain_form` String,
    `value` String,
    `rows` UInt64,
    `last_date` Date
)
AS SELECT
    account,
    column,
    plain_form,
    variant.1 AS value,
    variant.2 AS rows,
    variant.3 AS last_date
FROM
(
    SELECT
        account,
        column,
        lowerUTF8(replaceRegexpAll(value, '[\\s\\v\\pZ\\x{0FEFF}]', '')) AS plain_form,
        groupArray((value, found, latest)) AS variants
    FROM
    (
        SELECT
            account,
            column,
            value,
            sum(elements) AS found,
            max(last_element) AS latest
        FROM
        (
            SELECT
                account,
                channel,
                campaign,
                os_name,
                count() AS elements,
                max(date) AS last_element
            FROM custom_data.cost
            FINAL
            ARRAY JOIN combinations.os_name AS os_name
            WHERE date >= (toDate(now('UTC')) - 90)
            GROUP BY
                account,
                channel,
                campaign,
                os_name
            UNION ALL
            SELECT
                account,
                channel,
                campaign,
                os_name,
                count() AS elements,
                max(date) AS last_element
            FROM custom_data.self_serve
            FINAL
            ARRAY JOIN
                combinations.campaign AS campaign,
                combinations.os_name AS os_name
            WHERE date >= (toDate(now('UTC')) - 90)
            GROUP BY
                account,
                channel,
                campaign,
                os_name
        )
        ARRAY JOIN
            ['channel', 'campaign', 'os_name'] AS column,
            [channel, campaign, os_name] AS value
        GROUP BY
            account,
            column,
            value
    )
    GROUP BY
        account,
        column,
        plain_form
    HAVING count() > 1
)
ARRAY JOIN variants AS variant
SETTINGS merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1, optimize_move_to_prewhere_if_final = 1;

CREATE VIEW custom_data.upload_activity
(
    `account` LowCardinality(String),
    `family` LowCardinality(String),
    `day` Date,
    `uploads` UInt64,
    `uploaded` UInt64,
    `validated` UInt64,
    `ingested` UInt64,
    `succeeded` UInt64,
    `failed` UInt64,
    `failed_columns` Map(String, UInt64),
    `rows` UInt64,
    `bytes` UInt64
)
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
    sumMap(mapFromArrays(JSONExtractKeys(ifNull(reason, '')) AS named, arrayWithConstant(length(named), 1))) AS failed_columns,
    sum(rows_stored) AS rows,
    sum(csv_bytes) AS bytes
FROM custom_data.request_transitions
FINAL
GROUP BY
    account,
    family,
    day
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW custom_data.upload_requests
(
    `request_id` UUID,
    `account` LowCardinality(String),
    `family` LowCardinality(String),
    `status` LowCardinality(String),
    `prev_status` Nullable(String),
    `reason` Nullable(String),
    `created_at` DateTime('UTC'),
    `updated_at` DateTime('UTC')
)
AS SELECT
    request_id,
    account,
    family,
    status,
    prev_status,
    reason,
    created_at,
    updated_at
FROM custom_data.request_transitions
FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;
