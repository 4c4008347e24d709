-- As it was, but read by as many threads as there are: a report over a month of an account is few
-- granules, which the engine would leave to one.

CREATE OR REPLACE VIEW {database}.cost_summary
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
