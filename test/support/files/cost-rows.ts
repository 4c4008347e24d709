import type { CsvRow } from '../model/warehouse-model.js';

/** A row for each campaign of one day: uploaded again with other clicks, it replaces them. */
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
