import { type Family, optional, own } from './family.js';

/** Cost, impressions and clicks per date, channel and campaign. */
export const COST: Family = {
  name: 'cost',
  table: 'cost',
  columns: [
    { name: 'date', kind: 'date', required: true, role: 'key' },
    { name: 'channel', kind: 'channel', required: true, role: 'key' },
    { name: 'currency', kind: 'currency', required: true, role: 'group-by', isOwn: true },
    { name: 'campaign', kind: 'text', required: true, role: 'key' },
    { name: 'impressions', kind: 'count', required: true, role: 'metric' },
    { name: 'clicks', kind: 'count', required: true, role: 'metric' },
    { name: 'cost', kind: 'amount', required: true, role: 'metric' },
    own('campaign_id'),
    own('ad_group'),
    optional('ad_group_id'),
    own('ad_creative'),
    optional('ad_creative_id'),
    optional('term'),
    optional('term_id'),
    optional('ad_account'),
    optional('ad_account_id'),
    optional('sub_publisher'),
    optional('sub_sub_publisher_1'),
    optional('sub_sub_publisher_2'),
    optional('sub_sub_publisher_3'),
    own('country', 'country'),
    own('os_name'),
  ],
  optionalMayBeBlank: false,
  maxRows: 10_000,
  dateWindowDays: undefined,
};
