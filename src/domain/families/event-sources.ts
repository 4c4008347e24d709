/** The values that a self-serve row's `event_source` may have. */
export const EVENT_SOURCES = ['app', 'web', 'tracking_link', 'sms_link'] as const;
