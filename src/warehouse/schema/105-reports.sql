-- What analysts read. Every view reads FINAL: what an upload has replaced is never seen.

-- One row per stored CSV row.
CREATE VIEW IF NOT EXISTS {database}.cost_rows
AS SELECT
    account,
    date,
    channel,
    row.currency AS currency,
    campaign,
    row.impressions AS impressions,
    row.clicks AS clicks,
    row.cost AS cost,
    row.campaign_id AS campaign_id,
    row.ad_group AS ad_group,
    row.ad_group_id AS ad_group_id,
    row.ad_creative AS ad_creative,
    row.ad_creative_id AS ad_creative_id,
    row.term AS term,
    row.term_id AS term_id,
    row.ad_account AS ad_account,
    row.ad_account_id AS ad_account_id,
    row.sub_publisher AS sub_publisher,
    row.sub_sub_publisher_1 AS sub_sub_publisher_1,
    row.sub_sub_publisher_2 AS sub_sub_publisher_2,
    row.sub_sub_publisher_3 AS sub_sub_publisher_3,
    row.country AS country,
    row.os_name AS os_name,
    request_id,
    uploaded_at
FROM {database}.cost FINAL
ARRAY JOIN rows AS row;

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

-- One row per overwrite key and currency, from the totals stored with the key.
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
ARRAY JOIN totals AS total;

-- One row per stored CSV row.
CREATE VIEW IF NOT EXISTS {database}.self_serve_rows
AS SELECT
    account,
    date,
    channel,
    event_category,
    row.event_value AS event_value,
    row.campaign AS campaign,
    row.ad_group AS ad_group,
    row.ad_creative AS ad_creative,
    row.content AS content,
    row.event_source AS event_source,
    row.os_name AS os_name,
    row.term AS term,
    row.country AS country,
    row.currency AS currency,
    row.sub_publisher AS sub_publisher,
    row.sub_sub_publisher_1 AS sub_sub_publisher_1,
    row.sub_sub_publisher_2 AS sub_sub_publisher_2,
    row.sub_sub_publisher_3 AS sub_sub_publisher_3,
    row.is_first_event_per_device_id AS is_first_event_per_device_id,
    row.is_first_event_per_user_id AS is_first_event_per_user_id,
    request_id,
    uploaded_at
FROM {database}.self_serve FINAL
ARRAY JOIN rows AS row;

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
