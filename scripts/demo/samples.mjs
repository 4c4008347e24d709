/**
 * The demo's files. Their dates are near today, because self-serve metrics may be at most 92 days
 * old. Their headers are checked against the column tables of the families.
 */
import { writeToString } from 'fast-csv';
import { COST, SELF_SERVE } from '../../dist/domain/families/index.js';

/** Returns the UTC date `days` days ago as `YYYY-MM-DD`. */
export function daysAgo(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

async function csv(family, rows) {
  const known = new Set(family.columns.map((column) => column.name));
  for (const name of Object.keys(rows[0])) {
    if (!known.has(name)) throw new Error(`${name} is not a column of ${family.name}`);
  }
  return writeToString(rows, { headers: true, includeEndRowDelimiter: true });
}

const day = daysAgo(3);
const cost = (campaign, ad_group, impressions, clicks, amount, currency = 'EUR') => ({
  date: day,
  channel: 'newsletter',
  currency,
  campaign,
  ad_group,
  impressions,
  clicks,
  cost: amount,
});

/** Cost by ad group. */
export const costByAdGroup = () =>
  csv(COST, [
    cost('Spring sale, "early birds"', 'Leser', 12_000, 340, 151.2),
    cost('Spring sale, "early birds"', 'Abonnenten über 60', 8_000, 190, 98.8),
    cost('Brand', 'all', 40_000, 410, 220),
    cost('Brand', 'all', 10_000, 90, 75, 'USD'),
  ]);

/** The same campaign again, by campaign only: it replaces the finer rows of its overwrite key. */
export const costByCampaign = () =>
  csv(COST, [
    {
      date: day,
      channel: 'newsletter',
      currency: 'EUR',
      campaign: 'Spring sale, "early birds"',
      impressions: 21_000,
      clicks: 560,
      cost: 260.5,
    },
  ]);

/** A deletion: the same overwrite key with all metrics 0. */
export const costDeleted = () =>
  csv(COST, [cost('Brand', 'all', 0, 0, 0), cost('Brand', 'all', 0, 0, 0, 'USD')]);

/** Custom metrics. Reports sum the two equal rows into one. */
export const selfServe = () =>
  csv(SELF_SERVE, [
    { date: daysAgo(2), channel: 'newsletter', event_category: 'StoreVisits', event_value: 120 },
    { date: daysAgo(2), channel: 'newsletter', event_category: 'StoreVisits', event_value: 30 },
    { date: daysAgo(1), channel: 'newsletter', event_category: 'StoreVisits', event_value: 95 },
    { date: daysAgo(1), channel: 'Radio', event_category: 'CallCenterOrders', event_value: 12.5 },
  ]);

/** A file with one mistake of each of several kinds. */
export const broken = () =>
  csv(COST, [
    cost('Autumn', 'all', 100, 5, '1,50'),
    { ...cost('Autumn ', 'all', -1, 5, 2.5), date: '2026-13-01', currency: 'eur' },
  ]);
