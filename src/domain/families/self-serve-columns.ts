import { type Family, optional, own } from './family.js';

/** The values that a self-serve row's `event_source` may have. */
export const EVENT_SOURCES = ['app', 'web', 'tracking_link', 'sms_link'] as const;

/** Custom metrics: a named value per date and channel. */
export const SELF_SERVE: Family = {
  name: 'self-serve',
  table: 'self_serve',
  columns: [
    { name: 'date', kind: 'date', required: true, role: 'key' },
    { name: 'channel', kind: 'text', required: true, role: 'key' },
    { name: 'event_category', kind: 'metric-name', required: true, role: 'key' },
    { name: 'event_value', kind: 'amount', required: true, role: 'metric' },
    own('campaign'),
    own('ad_group'),
    own('ad_creative'),
    optional('content'),
    optional('event_source', 'event-source'),
    own('os_name'),
    optional('term'),
    own('country', 'country'),
    optional('currency', 'currency'),
    optional('sub_publisher'),
    optional('sub_sub_publisher_1'),
    optional('sub_sub_publisher_2'),
    optional('sub_sub_publisher_3'),
    optional('is_first_event_per_device_id', 'boolean'),
    optional('is_first_event_per_user_id', 'boolean'),
  ],
  optionalMayBeBlank: true,
  maxRows: undefined,
  dateWindowDays: 92,
};
