import { CODE, EngineException } from './exception.js';

/** A token of the engine's lexer: its type and its text. */
export type Token = readonly [type: string, text: string];

/** The words with which a statement that reads begins. */
const FIRST_WORDS = new Set(['SELECT', 'WITH', 'FROM', 'SHOW', 'DESCRIBE', 'EXPLAIN', 'EXISTS']);

/** Scalar functions that read files, start processes or call services. */
const REFUSED_FUNCTIONS = new Set([
  'file',
  'catboostevaluate',
  'aiclassify',
  'aiembed',
  'aiextract',
  'aigenerate',
  'aitranslate',
]);

/** Table functions that make their rows themselves; every other one is refused, also new ones. */
const ALLOWED_TABLE_FUNCTIONS = new Set([
  'format',
  'fuzzquery',
  'generate_series',
  'generaterandom',
  'generateseries',
  'null',
  'numbers',
  'numbers_mt',
  'primes',
  'sqlstandardvalues',
  'values',
  'view',
  'zeros',
  'zeros_mt',
]);

/**
 * Refuses what reaches beyond the warehouse by the words of a statement that the engine wrote
 * (keywords in capitals, names quoted only where they must be). A column that has the name of a
 * refused function is taken when it is qualified (`t.file`).
 *
 * @param tableFunctions all that the engine has, in lower case
 * @throws EngineException
 */
export function refuseTokens(tokens: readonly Token[], tableFunctions: ReadonlySet<string>): void {
  const first = tokens.find(([type]) => type !== 'OpeningRoundBracket');
  if (first === undefined || !FIRST_WORDS.has(first[1])) {
    throw EngineException.of('READONLY', 'Cannot execute query in readonly mode.');
  }
  tokens.forEach((token, index) => {
    refuseToken(token, tokens[index - 1], tokens[index + 1], tableFunctions);
  });
}

function refuseToken(
  [type, text]: Token,
  before: Token | undefined,
  after: Token | undefined,
  tableFunctions: ReadonlySet<string>,
): void {
  if (type !== 'BareWord' && type !== 'QuotedIdentifier') return;
  if (type === 'BareWord') refuseKeyword(text, before);

  const name = type === 'BareWord' ? text : text.slice(1, -1);
  if (name === 'default' && after?.[0] === 'Dot') {
    throw noDefaultDatabase();
  }
  const lower = name.toLowerCase();
  const called = after?.[0] === 'OpeningRoundBracket';
  const qualified = before?.[0] === 'Dot' || after?.[0] === 'Dot';
  // Without a bracket too: a function's name is an argument of APPLY and of arrayMap.
  if (REFUSED_FUNCTIONS.has(lower) && (called || !qualified)) throw notAllowed(name);
  if (called && tableFunctions.has(lower) && !ALLOWED_TABLE_FUNCTIONS.has(lower)) {
    throw notAllowed(name);
  }
}

function refuseKeyword(word: string, before: Token | undefined): void {
  if (word === 'OUTFILE' && before?.[1] === 'INTO') {
    throw EngineException.of('READONLY', 'Cannot execute query in readonly mode: INTO OUTFILE.');
  }
  const shown = before?.[1] === 'SHOW' || before?.[1] === 'CHANGED';
  if (word === 'SETTINGS' && !shown && before?.[0] !== 'Dot') {
    throw EngineException.of(
      'READONLY',
      'Cannot modify settings in readonly mode: send them as URL parameters, not in the query.',
    );
  }
}

function notAllowed(name: string): EngineException {
  return new EngineException(
    CODE.FUNCTION_NOT_ALLOWED,
    'FUNCTION_NOT_ALLOWED',
    `Function ${name} is not allowed here: queries cannot reach files, addresses or programs. ` +
      'A column of this name can be written with its table, table.column.',
  );
}

export function noDefaultDatabase(): EngineException {
  return EngineException.of('UNKNOWN_DATABASE', 'Database default does not exist.');
}
