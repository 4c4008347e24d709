import type { CsvRow } from '../model/warehouse-model.js';

/** One row per campaign, all of one day. Uploading them again with other clicks replaces them. */
export function costRows(campaigns: readonly string[], clicks: number): CsvRow[] {
  return campaigns.map((campaign) => ({
    date: '2026-02-01',
    channel: 'news',
    currency: 'EUR',
    campaign,
    impressions: '1',
    clicks: String(clicks),
    cost: '0.5',
  }));
}
