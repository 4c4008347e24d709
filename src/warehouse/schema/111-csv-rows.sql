-- A key's rows anew: their texts as one, NUL between them, which no text has. What a file leaves out
-- then costs nothing, where a column each cost storing and merging its blanks. The order of the
-- texts is that of the family's columns; those behind the last one that a file has may be missing.

ALTER TABLE {database}.cost ADD COLUMN IF NOT EXISTS csv_rows Array(Tuple(
        impressions UInt64,
        clicks UInt64,
        cost Float64,
        texts String
    )) DEFAULT arrayMap(
        row -> (
            row.impressions,
            row.clicks,
            row.cost,
            arrayStringConcat([
                row.currency,
                row.campaign_id,
                row.ad_group,
                row.ad_group_id,
                row.ad_creative,
                row.ad_creative_id,
                row.term,
                row.term_id,
                row.ad_account,
                row.ad_account_id,
                row.sub_publisher,
                row.sub_sub_publisher_1,
                row.sub_sub_publisher_2,
                row.sub_sub_publisher_3,
                row.country,
                row.os_name
            ], '\0')
        ),
        rows
    ) AFTER uploaded_at;

ALTER TABLE {database}.self_serve ADD COLUMN IF NOT EXISTS csv_rows Array(Tuple(
        event_value Float64,
        is_first_event_per_device_id Nullable(Bool),
        is_first_event_per_user_id Nullable(Bool),
        texts String
    )) DEFAULT arrayMap(
        row -> (
            row.event_value,
            row.is_first_event_per_device_id,
            row.is_first_event_per_user_id,
            arrayStringConcat([
                row.campaign,
                row.ad_group,
                row.ad_creative,
                row.content,
                row.event_source,
                row.os_name,
                row.term,
                row.country,
                row.currency,
                row.sub_publisher,
                row.sub_sub_publisher_1,
                row.sub_sub_publisher_2,
                row.sub_sub_publisher_3
            ], '\0')
        ),
        rows
    ) AFTER uploaded_at;

CREATE OR REPLACE VIEW {database}.cost_rows
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

CREATE OR REPLACE VIEW {database}.self_serve_rows
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
