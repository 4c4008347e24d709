import { EngineException } from '../exception.js';
import type { EngineNames } from './index.js';
import { reasonAgainst } from './refused.js';

const ALLOWED =
  'Allowed are functions that compute from their arguments and the rows of the query.';

/** @param called with a bracket; otherwise the name may have been meant as a column */
export function notAllowed(name: string, engine: EngineNames, called: boolean): EngineException {
  const lower = name.toLowerCase();
  if (!engine.functions.has(lower) && !engine.tableFunctions.has(lower)) {
    return EngineException.of('UNKNOWN_FUNCTION', `Function ${name} does not exist. ${ALLOWED}`);
  }
  const reason = reasonAgainst(lower) ?? 'is not on the list of this interface';
  const column = called ? '' : ' A column can be written with its table, table.column.';
  return EngineException.of(
    'FUNCTION_NOT_ALLOWED',
    `Function ${name} is not allowed here: it ${reason}. ${ALLOWED}${column}`,
  );
}
