import { AGGREGATES, isCombined } from './aggregates.js';
import { COLLECTIONS } from './collections.js';
import { namesOf } from './names.js';
import { NUMBERS } from './numbers.js';
import { TEXTS } from './texts.js';

/**
 * The functions that a query may call: those that compute from their arguments and the rows of the
 * query. The list is by purpose, not by what an engine has: a function that a new engine brings is
 * refused until somebody has looked at it. A name that an engine lacks does no harm.
 */
const SCALAR = new Set([TEXTS, NUMBERS, COLLECTIONS].flatMap((families) => [...namesOf(families)]));

/**
 * Table functions that make their rows themselves. `format` is among them because it is a function
 * of texts as well; as a table function read-only access refuses it. Functions that take a
 * structure are out, because its columns may call functions (`a String ALIAS file('…')`); the guard
 * checks `values` separately.
 */
const TABLE_FUNCTIONS = namesOf({
  rows: `
    format generateSeries generate_series numbers{,_mt} primes SQLStandardValues values view zeros{,_mt}`,
});

/** What the engine has, by names in lower case. */
export interface EngineNames {
  readonly functions: ReadonlySet<string>;
  readonly tableFunctions: ReadonlySet<string>;
}

/** @param name in lower case */
export function isAllowed(name: string, engine: EngineNames): boolean {
  // It does not matter which of the two a name means: both must be harmless.
  if (engine.tableFunctions.has(name)) return TABLE_FUNCTIONS.has(name);
  return SCALAR.has(name) || isAllowedAggregate(name, engine);
}

/** @param name in lower case, with or without combinators */
export function isAllowedAggregate(name: string, { functions }: EngineNames): boolean {
  // A function of the engine itself that only looks like a combination is another function.
  return AGGREGATES.has(name) || (!functions.has(name) && isCombined(name));
}
