-- What analysts read. Every view reads FINAL: what an upload has replaced is never seen.

-- One row per stored CSV row.
CREATE VIEW IF NOT EXISTS {database}.cost_rows
AS SELECT
    account,
    date,
    channel,
    (splitByChar('\0', row.texts) AS texts)[1] AS currency,
    campaign,
    row.impressions AS impressions,
    row.clicks AS clicks,
    row.cost AS cost,
    texts[2] AS campaign_id,
    texts[3] AS ad_group,
    texts[4] AS ad_group_id,
    texts[5] AS ad_creative,
    texts[6] AS ad_creative_id,
    texts[7] AS term,
    texts[8] AS term_id,
    texts[9] AS ad_account,
    texts[10] AS ad_account_id,
    texts[11] AS sub_publisher,
    texts[12] AS sub_sub_publisher_1,
    texts[13] AS sub_sub_publisher_2,
    texts[14] AS sub_sub_publisher_3,
    texts[15] AS country,
    texts[16] AS os_name,
    request_id,
    uploaded_at
FROM {database}.cost FINAL
ARRAY JOIN csv_rows AS row;

-- Group-by combinations of which every row is all zero are deleted ones.
CREATE VIEW IF NOT EXISTS {database}.cost_report
AS SELECT
    account,
    date,
    channel,
    currency,
    campaign,
    campaign_id,
    ad_group,
    ad_group_id,
    ad_creative,
    ad_creative_id,
    term,
    term_id,
    ad_account,
    ad_account_id,
    sub_publisher,
    sub_sub_publisher_1,
    sub_sub_publisher_2,
    sub_sub_publisher_3,
    country,
    os_name,
    sum(stored.impressions) AS impressions,
    sum(stored.clicks) AS clicks,
    sum(stored.cost) AS cost
FROM {database}.cost_rows AS stored
GROUP BY
    account,
    date,
    channel,
    currency,
    campaign,
    campaign_id,
    ad_group,
    ad_group_id,
    ad_creative,
    ad_creative_id,
    term,
    term_id,
    ad_account,
    ad_account_id,
    sub_publisher,
    sub_sub_publisher_1,
    sub_sub_publisher_2,
    sub_sub_publisher_3,
    country,
    os_name
HAVING max(stored.impressions != 0 OR stored.clicks != 0 OR stored.cost != 0);

-- One row per overwrite key and currency, from the totals stored with the key. Read by as many threads as
-- there are: a month of an account is few granules, which the engine would leave to one.
CREATE VIEW IF NOT EXISTS {database}.cost_summary
AS SELECT
    account,
    date,
    channel,
    campaign,
    total.currency AS currency,
    total.impressions AS impressions,
    total.clicks AS clicks,
    total.cost AS cost
FROM {database}.cost FINAL
ARRAY JOIN totals AS total
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1;

-- One row per stored CSV row.
CREATE VIEW IF NOT EXISTS {database}.self_serve_rows
AS SELECT
    account,
    date,
    channel,
    event_category,
    row.event_value AS event_value,
    (splitByChar('\0', row.texts) AS texts)[1] AS campaign,
    texts[2] AS ad_group,
    texts[3] AS ad_creative,
    texts[4] AS content,
    texts[5] AS event_source,
    texts[6] AS os_name,
    texts[7] AS term,
    texts[8] AS country,
    texts[9] AS currency,
    texts[10] AS sub_publisher,
    texts[11] AS sub_sub_publisher_1,
    texts[12] AS sub_sub_publisher_2,
    texts[13] AS sub_sub_publisher_3,
    row.is_first_event_per_device_id AS is_first_event_per_device_id,
    row.is_first_event_per_user_id AS is_first_event_per_user_id,
    request_id,
    uploaded_at
FROM {database}.self_serve FINAL
ARRAY JOIN csv_rows AS row;

-- Archived metrics are hidden.
CREATE VIEW IF NOT EXISTS {database}.self_serve_report
AS SELECT
    account,
    date,
    channel,
    event_category,
    campaign,
    ad_group,
    ad_creative,
    content,
    event_source,
    os_name,
    term,
    country,
    currency,
    sub_publisher,
    sub_sub_publisher_1,
    sub_sub_publisher_2,
    sub_sub_publisher_3,
    is_first_event_per_device_id,
    is_first_event_per_user_id,
    sum(stored.event_value) AS event_value
FROM {database}.self_serve_rows AS stored
WHERE (account, event_category) NOT IN (
    SELECT account, name FROM {database}.metric_archivals FINAL WHERE archived
)
GROUP BY
    account,
    date,
    channel,
    event_category,
    campaign,
    ad_group,
    ad_creative,
    content,
    event_source,
    os_name,
    term,
    country,
    currency,
    sub_publisher,
    sub_sub_publisher_1,
    sub_sub_publisher_2,
    sub_sub_publisher_3,
    is_first_event_per_device_id,
    is_first_event_per_user_id;
