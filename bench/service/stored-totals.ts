import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';

interface TotalsOfAccount extends Totals {
  readonly account: string;
}

/**
 * Compares what every cost view shows of some accounts with the expected totals.
 *
 * @throws Error when rows are missing or duplicated, which makes the run invalid
 */
export async function requireCostTotals(
  query: (sql: string) => Promise<readonly TotalsOfAccount[]>,
  expected: ReadonlyMap<string, Totals>,
): Promise<void> {
  const accounts = [...expected.keys()].map((account) => `'${account}'`).join(', ');
  for (const view of ['cost_rows', 'cost_report', 'cost_summary']) {
    const found = await query(
      `SELECT account, ${TOTALS_SQL} FROM ${view} WHERE account IN (${accounts}) GROUP BY account`,
    );
    for (const [account, totals] of expected) {
      const shown = found.find((each) => each.account === account)!;
      // The other two views sum rows up, so only the sums must match.
      const rows = view === 'cost_rows' ? shown.rows : totals.rows;
      requireEqual(`${view} of ${account}`, { ...shown, rows }, totals);
    }
  }
}
