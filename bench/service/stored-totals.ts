import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';

/**
 * Compares what every cost view shows of an account with the expected totals.
 *
 * @throws Error when rows are missing or duplicated, which makes the run invalid
 */
export async function requireCostTotals(
  query: (sql: string) => Promise<readonly Totals[]>,
  account: string,
  expected: Totals,
): Promise<void> {
  const totalsIn = async (view: string): Promise<Totals> => {
    const sql = `SELECT ${TOTALS_SQL} FROM ${view} WHERE account = '${account}'`;
    const [totals] = await query(sql);
    return totals!;
  };
  requireEqual('cost_rows', await totalsIn('cost_rows'), expected);
  const { rows } = expected;
  // These two views sum rows up, so only the sums must match.
  for (const view of ['cost_report', 'cost_summary']) {
    requireEqual(view, { ...(await totalsIn(view)), rows }, expected);
  }
}
