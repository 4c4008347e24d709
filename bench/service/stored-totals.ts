import { requireEqual, type Totals, TOTALS_SQL } from '../load/totals.js';

/**
 * Compares what every cost view shows of an account with what is to be there.
 *
 * @throws Error when something is missing or double: the run is void then
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
  // These two sum rows up, so that only the sums have to agree.
  for (const view of ['cost_report', 'cost_summary']) {
    requireEqual(view, { ...(await totalsIn(view)), rows }, expected);
  }
}
