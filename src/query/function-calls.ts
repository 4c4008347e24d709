import { openingsOfTuples, refuseAggregateName, refuseStructure } from './function-arguments.js';
import { isAllowed, type EngineNames } from './functions/index.js';
import { notAllowed } from './functions/not-allowed.js';
import { isWord, nameOf, type Token } from './sql-tokens.js';

/**
 * Keywords that a bracket may follow, as the engine writes them. None may be the name of a function
 * that is refused.
 */
export const KEYWORDS = new Set(
  `ALL AND ANALYZE APPLY AS AST BETWEEN BY COLUMNS DISTINCT ESTIMATE EXCEPT EXPLAIN FROM GLOBAL HAVING
   ILIKE IN INTERPOLATE INTERSECT IS JOIN LIKE LIMIT MATERIALIZED NOT OFFSET ON OR OVER PIPELINE PLAN PREWHERE
   QUALIFY RECURSIVE REPLACE SAMPLE SELECT SETS STALENESS STEP STRICT SYNTAX TABLE TO TREE UNION USING
   WHERE WITH`.split(/\s+/),
);

/**
 * Refuses every function that is not on the list. In the text that the engine writes a function is
 * the name before a bracket, the name after APPLY, or the first argument of a function that applies
 * another one to the elements of an array or a map (`arrayMap(upper, …)`).
 *
 * @throws EngineException
 */
export function refuseFunctions(tokens: readonly Token[], engine: EngineNames): void {
  const lambdas = namesOfLambdas(tokens);
  const tuples = openingsOfTuples(tokens);
  tokens.forEach((token, index) => {
    const name = nameOf(token);
    if (name === undefined) return;
    const called = isCalled(tokens, index);
    if (!called && !isApplied(tokens, index) && !isArgument(tokens, index, engine)) return;
    const lower = name.toLowerCase();
    // Where the lambda is out of scope, the name would mean a function.
    const known = engine.functions.has(lower) || engine.tableFunctions.has(lower);
    if (!known && lambdas.has(name)) return;
    if (!isAllowed(lower, engine)) throw notAllowed(name, engine, called);
    if (!called) return;
    refuseAggregateName(lower, tokens[index + 2], engine);
    if (lower === 'values' && !tuples.has(index + 2)) {
      refuseStructure(tokens.slice(index + 2, index + 6));
    }
  });
}

/** `x -> … AS name` */
function namesOfLambdas(tokens: readonly Token[]): Set<string | undefined> {
  const names = new Set<string | undefined>();
  /** Whether a lambda has begun and not ended, by depth of brackets. */
  const begun = [false];
  tokens.forEach(([type, text], index) => {
    if (type === 'Arrow') begun[begun.length - 1] = true;
    else if (type.startsWith('Opening')) begun.push(false);
    else if (type.startsWith('Closing')) {
      // The lambda itself may stand in brackets: it goes on behind them.
      if (begun.length > 1 && begun.pop() === true) begun[begun.length - 1] = true;
    } else if (type === 'Comma' || text === 'AS') {
      if (begun.at(-1) === true && text === 'AS') names.add(nameOf(tokens[index + 1]));
      begun[begun.length - 1] = false;
    }
  });
  return names;
}

function isCalled(tokens: readonly Token[], index: number): boolean {
  if (tokens[index + 1]?.[0] !== 'OpeningRoundBracket') return false;
  const [type, text] = tokens[index]!;
  if (type === 'BareWord' && KEYWORDS.has(text)) return false;
  return !hasColumnNames(tokens, index);
}

/** `WITH t(a, b) AS (SELECT …`, or `(SELECT …) AS t(a, b)`. */
function hasColumnNames(tokens: readonly Token[], index: number): boolean {
  if (isWord(tokens[index - 1], 'AS') && tokens[index - 2]?.[0] === 'ClosingRoundBracket') {
    return true;
  }
  let end = index + 2;
  while (nameOf(tokens[end]) !== undefined || tokens[end]?.[0] === 'Comma') end++;
  return (
    tokens[end]?.[0] === 'ClosingRoundBracket' &&
    isWord(tokens[end + 1], 'AS') &&
    tokens[end + (isWord(tokens[end + 2], 'MATERIALIZED') ? 3 : 2)]?.[0] === 'OpeningRoundBracket'
  );
}

/** `* APPLY name`, or `* APPLY (name, 'prefix')`. */
function isApplied(tokens: readonly Token[], index: number): boolean {
  const [type, text] = tokens[index]!;
  const bracket = tokens[index - 1]?.[0] === 'OpeningRoundBracket';
  if (!isWord(tokens[index - (bracket ? 2 : 1)], 'APPLY')) return false;
  return tokens[index + 1]?.[0] !== 'Arrow' && !(type === 'BareWord' && KEYWORDS.has(text));
}

/** `arrayMap(name, …)`, also with brackets and an alias of its own. */
function isArgument(tokens: readonly Token[], index: number, engine: EngineNames): boolean {
  let before = index - 1;
  while (tokens[before]?.[0] === 'OpeningRoundBracket') before--;
  if (before === index - 1 || !/^(?:array|map)/i.test(nameOf(tokens[before]) ?? '')) return false;
  let after = index + 1;
  while (tokens[after]?.[0] === 'ClosingRoundBracket' && after - index < index - before - 1)
    after++;
  if (tokens[after]?.[0] !== 'Comma' && !isWord(tokens[after], 'AS')) return false;
  // Any other name is a column, in functions that take no function.
  return engine.functions.has(nameOf(tokens[index])!.toLowerCase());
}
