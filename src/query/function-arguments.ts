import { EngineException } from './exception.js';
import { isAllowedAggregate, type EngineNames } from './functions/index.js';
import { notAllowed } from './functions/not-allowed.js';
import type { Token } from './sql-tokens.js';

/** Their first argument is a text that names an aggregate function. */
const TAKING_NAMES = new Set(['arrayreduce', 'arrayreduceinranges', 'initializeaggregation']);
const NAME = /^'(\w+)(?:\([\d ,.]*\))?'$/;

/**
 * For functions that take the name of an aggregate function as a text: the text must be there, and
 * the function allowed.
 *
 * @param by name of the function, in lower case
 * @throws EngineException
 */
export function refuseAggregateName(
  by: string,
  argument: Token | undefined,
  engine: EngineNames,
): void {
  if (!TAKING_NAMES.has(by)) return;
  // The engine evaluates what is in brackets: no function may be in them.
  const name = argument?.[0] === 'StringLiteral' ? NAME.exec(argument[1])?.[1] : undefined;
  if (name === undefined) {
    throw EngineException.of(
      'BAD_ARGUMENTS',
      `The first argument of ${by} must be the name of an aggregate function as a text, such as ` +
        "'quantile(0.9)'.",
    );
  }
  if (!isAllowedAggregate(name.toLowerCase(), engine)) throw notAllowed(name, engine, true);
}

/**
 * The possible beginnings of a row of values other than a text: the engine takes a text for a
 * structure.
 */
const NO_TEXT = new Set(['Number', 'Minus', 'OpeningSquareBracket']);

/** How deep the brackets of a type may be. Each level costs a pass over the text. */
const TYPE_DEPTH = 100;

/**
 * The table function `values` may begin with a structure. It may hold only names and types, because
 * a column's default can call functions.
 *
 * @param tokens the first four from the first argument on, which is no tuple
 * @throws EngineException
 */
export function refuseStructure(tokens: readonly Token[]): void {
  if (NO_TEXT.has(tokens[0]?.[0] ?? '')) return;
  const brackets = tokens[0]?.[0] === 'OpeningRoundBracket' ? 1 : 0;
  const first = tokens[brackets];
  const after = tokens[2 * brackets + 1]?.[0];
  const alone =
    (brackets === 0 || tokens[2]?.[0] === 'ClosingRoundBracket') &&
    (after === 'Comma' || after === 'ClosingRoundBracket');
  if (first?.[0] === 'StringLiteral' && alone && isPlain(first[1].slice(1, -1))) return;
  throw EngineException.of(
    'BAD_ARGUMENTS',
    'The function values takes rows, ((1, 2), (3, 4)), after a text of names and types of columns if ' +
      "need be, 'a String, b Array(UInt8)'. Convert columns that need more than that.",
  );
}

/** Where brackets with more than one value in them open: `('a')` is a text like `'a'`. */
export function openingsOfTuples(tokens: readonly Token[]): Set<number | undefined> {
  const tuples = new Set<number | undefined>();
  const open: number[] = [];
  tokens.forEach(([type], index) => {
    if (type.startsWith('Opening')) open.push(index);
    else if (type.startsWith('Closing')) open.pop();
    else if (type === 'Comma') tuples.add(open.at(-1));
  });
  return tuples;
}

function isPlain(text: string): boolean {
  // A single word is a value: no column.
  if (/^[\w.-]*$/.test(text)) return true;
  let outer = text;
  for (let inner = '', depth = 0; inner !== outer && depth < TYPE_DEPTH; depth++) {
    inner = outer;
    outer = inner.replace(/\([\w ,]*\)/g, '');
  }
  return /^\w+ +\w+ *(?:, *\w+ +\w+ *)*$/.test(outer);
}
