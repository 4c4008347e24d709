import { EngineException } from './exception.js';
import { refuseFunctions } from './function-calls.js';
import type { EngineNames } from './functions/index.js';
import { nameOf, withParameters, type Token } from './sql-tokens.js';

/** The first keywords of statements that read. */
const FIRST_WORDS = new Set(['SELECT', 'WITH', 'FROM', 'SHOW', 'DESCRIBE', 'EXPLAIN', 'EXISTS']);

/** Reading one starts a helper process of the engine, reading the other interrupts every thread. */
const REFUSED_SYSTEM_TABLES = new Set(['models', 'stack_trace']);

/**
 * Refuses what reaches beyond the warehouse, by the words of a statement that the engine wrote
 * (keywords in capitals, names quoted only where they must be).
 *
 * @param parameters bound values, which may be names as well
 * @throws EngineException
 */
export function refuseTokens(
  written: readonly Token[],
  parameters: ReadonlyMap<string, string>,
  engine: EngineNames,
): void {
  const tokens = withParameters(written, parameters);
  const first = tokens.find(([type]) => type !== 'OpeningRoundBracket');
  if (first === undefined || !FIRST_WORDS.has(first[1])) {
    throw EngineException.of('READONLY', 'Cannot execute query in readonly mode.');
  }
  refuseKeywords(tokens);
  refuseDatabases(tokens);
  refuseFunctions(tokens, engine);
}

function refuseKeywords(tokens: readonly Token[]): void {
  // In statements that show settings. Elsewhere an alias may be called SHOW.
  const shown = tokens[0]?.[1] === 'SHOW' && (tokens[1]?.[1] === 'CHANGED' ? 2 : 1);
  tokens.forEach(([type, word], index) => {
    if (type !== 'BareWord') return;
    const before = tokens[index - 1];
    if (word === 'OUTFILE' && before?.[1] === 'INTO') {
      throw EngineException.of('READONLY', 'Cannot execute query in readonly mode: INTO OUTFILE.');
    }
    if (word === 'SETTINGS' && index !== shown && before?.[0] !== 'Dot') {
      throw EngineException.of(
        'READONLY',
        'Cannot modify settings in readonly mode: send them as URL parameters, not in the query.',
      );
    }
  });
}

function refuseDatabases(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const database = nameOf(token);
    if (database === undefined || tokens[index + 1]?.[0] !== 'Dot') return;
    // The machine's files as tables.
    if (database === 'default') {
      throw EngineException.of('UNKNOWN_DATABASE', 'Database default does not exist.');
    }
    const table = nameOf(tokens[index + 2]);
    if (database === 'system' && table !== undefined && REFUSED_SYSTEM_TABLES.has(table)) {
      throw EngineException.of(
        'ACCESS_DENIED',
        `system.${table} is not readable through this interface.`,
      );
    }
  });
}
