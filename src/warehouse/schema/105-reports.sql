-- What analysts read. Every view reads FINAL: what an upload has replaced is never seen.
--
-- Views name each element in ARRAY JOIN: newer engines then read only those that a query asks for. With
-- the settings of the reports, as many threads read as there are (a month of an account is few
-- granules, which the engine would leave to one), and conditions on the key are checked before rows of
-- the same key are compared.

-- One row per stored CSV row. Of most keys they are the combinations.
CREATE VIEW IF NOT EXISTS {database}.cost_rows{everywhere}
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
FROM {database}.cost FINAL
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
FROM {database}.cost FINAL
ARRAY JOIN
    csv_rows.impressions AS impressions,
    csv_rows.clicks AS clicks,
    csv_rows.cost AS cost,
    csv_rows.texts AS texts;

-- One row per group-by combination that is not deleted.
CREATE VIEW IF NOT EXISTS {database}.cost_report{everywhere}
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
FROM {database}.cost FINAL
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
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1,
    optimize_move_to_prewhere_if_final = 1;

-- One row per overwrite key and currency, from the totals stored with the key.
CREATE VIEW IF NOT EXISTS {database}.cost_summary{everywhere}
AS SELECT
    account,
    date,
    channel,
    campaign,
    currency,
    impressions,
    clicks,
    cost
FROM {database}.cost FINAL
ARRAY JOIN
    totals.currency AS currency,
    totals.impressions AS impressions,
    totals.clicks AS clicks,
    totals.cost AS cost
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1,
    optimize_move_to_prewhere_if_final = 1;

-- One row per stored CSV row.
CREATE VIEW IF NOT EXISTS {database}.self_serve_rows{everywhere}
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
FROM {database}.self_serve FINAL
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
FROM {database}.self_serve FINAL
ARRAY JOIN
    csv_rows.event_value AS event_value,
    csv_rows.texts AS texts;

-- One row per group-by combination. Archived metrics are hidden.
CREATE VIEW IF NOT EXISTS {database}.self_serve_report{everywhere}
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
FROM {database}.self_serve FINAL
ARRAY JOIN
    combinations.event_value AS event_value,
    combinations.campaign AS campaign,
    combinations.ad_group AS ad_group,
    combinations.ad_creative AS ad_creative,
    combinations.os_name AS os_name,
    combinations.country AS country,
    combinations.texts AS texts
WHERE (account, event_category) {GLOBAL}NOT IN (
    SELECT account, name FROM {database}.metric_archivals FINAL WHERE archived
)
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1,
    optimize_move_to_prewhere_if_final = 1;

-- One row per overwrite key: the sum of its combinations. Archived metrics are hidden.
CREATE VIEW IF NOT EXISTS {database}.self_serve_summary{everywhere}
AS SELECT
    account,
    date,
    channel,
    event_category,
    arraySum(combinations.event_value) AS event_value
FROM {database}.self_serve FINAL
WHERE (account, event_category) {GLOBAL}NOT IN (
    SELECT account, name FROM {database}.metric_archivals FINAL WHERE archived
)
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1,
    optimize_move_to_prewhere_if_final = 1;

-- One row per account, family and channel that has a row which is neither deleted nor of an archived
-- metric. Today is the day in UTC.
CREATE VIEW IF NOT EXISTS {database}.data_freshness{everywhere}
AS SELECT
    account,
    family,
    channel,
    first_date,
    last_date,
    last_upload,
    arrayFilter(
        day -> day > first_date AND NOT has(days, day),
        arrayMap(place -> toDate(now('UTC')) - 90 + place, range(90))
    ) AS missing_days
FROM
(
    SELECT
        account,
        'cost' AS family,
        channel,
        min(date) AS first_date,
        max(date) AS last_date,
        max(uploaded_at) AS last_upload,
        groupUniqArrayIf(date, date >= toDate(now('UTC')) - 90) AS days
    FROM {database}.cost FINAL
    WHERE totals.size0 != 0
    GROUP BY account, channel
    UNION ALL
    SELECT
        account,
        'self-serve' AS family,
        channel,
        min(date) AS first_date,
        max(date) AS last_date,
        max(uploaded_at) AS last_upload,
        groupUniqArrayIf(date, date >= toDate(now('UTC')) - 90) AS days
    FROM {database}.self_serve FINAL
    WHERE (account, event_category) {GLOBAL}NOT IN (
        SELECT account, name FROM {database}.metric_archivals FINAL WHERE archived
    )
    GROUP BY account, channel
)
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1,
    optimize_move_to_prewhere_if_final = 1;

-- One row per value that has another spelling in the account's rows of the last 90 days. Values are
-- compared once for each combination of them, not for each row. White space is what it is in a
-- preview: the engine's \s lacks \v and U+FEFF.
CREATE VIEW IF NOT EXISTS {database}.spelling_variants{everywhere}
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
            FROM {database}.cost FINAL
            ARRAY JOIN
                combinations.os_name AS os_name
            WHERE date >= toDate(now('UTC')) - 90
            GROUP BY account, channel, campaign, os_name
            UNION ALL
            SELECT
                account,
                channel,
                campaign,
                os_name,
                count() AS elements,
                max(date) AS last_element
            FROM {database}.self_serve FINAL
            ARRAY JOIN
                combinations.campaign AS campaign,
                combinations.os_name AS os_name
            WHERE date >= toDate(now('UTC')) - 90
            GROUP BY account, channel, campaign, os_name
        )
        ARRAY JOIN
            ['channel', 'campaign', 'os_name'] AS column,
            [channel, campaign, os_name] AS value
        GROUP BY account, column, value
    )
    GROUP BY account, column, plain_form
    HAVING count() > 1
)
ARRAY JOIN variants AS variant
SETTINGS
    merge_tree_min_rows_for_concurrent_read = 8192,
    merge_tree_min_bytes_for_concurrent_read = 1,
    optimize_move_to_prewhere_if_final = 1;
