import type { Column, Family } from './family.js';

const optionalText = (name: string): Column => ({
  name,
  kind: 'text',
  required: false,
  role: 'group-by',
});
const ownText = (name: string): Column => ({ ...optionalText(name), isOwn: true });

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
    ownText('campaign_id'),
    ownText('ad_group'),
    optionalText('ad_group_id'),
    ownText('ad_creative'),
    optionalText('ad_creative_id'),
    optionalText('term'),
    optionalText('term_id'),
    optionalText('ad_account'),
    optionalText('ad_account_id'),
    optionalText('sub_publisher'),
    optionalText('sub_sub_publisher_1'),
    optionalText('sub_sub_publisher_2'),
    optionalText('sub_sub_publisher_3'),
    { name: 'country', kind: 'country', required: false, role: 'group-by', isOwn: true },
    ownText('os_name'),
  ],
  optionalMayBeBlank: false,
  maxRows: 10_000,
  dateWindowDays: undefined,
};
