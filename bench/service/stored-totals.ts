import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';

/**
 * Compares what every cost view shows of some accounts with the expected totals.
 *
 * @throws Error when rows are missing or duplicated, which makes the run invalid
 */
export async function requireCostTotals(
  query: (sql: string) => Promise<readonly Totals[]>,
  expected: ReadonlyMap<string, Totals>,
): Promise<void> {
  for (const view of ['cost_rows', 'cost_report', 'cost_summary']) {
    // One account at a time: all of them together may need more memory than a query may take.
    for (const [account, totals] of expected) {
      const [shown] = await query(`SELECT ${TOTALS_SQL} FROM ${view} WHERE account = '${account}'`);
      // The other two views sum rows up, so only the sums must match.
      const rows = view === 'cost_rows' ? shown!.rows : totals.rows;
      requireEqual(`${view} of ${account}`, { ...shown!, rows }, totals);
    }
  }
}
