import { resolve } from 'node:path';
import { Transform } from 'class-transformer';
import { Max, Min, type ValidationArguments, type ValidationOptions } from 'class-validator';

import { membersOf } from './members-of.js';

/**
 * The options of a rule whose message says what the variable's value should have been.
 *
 * @param rule completes "… is not"
 */
export function must(rule: string): ValidationOptions {
  return {
    message: ({ property, value }: ValidationArguments) =>
      `${property}: ${JSON.stringify(String(value))} is not ${rule}`,
  };
}

/** As {@link must}, for a value that may carry a password and is not to be shown. */
export function secretly(rule: string): ValidationOptions {
  return { message: ({ property }: ValidationArguments) => `${property} is not ${rule}` };
}

/** A variable that is set; defaults are not transformed. */
interface Given {
  readonly value: string;
}

/** A comma-separated list; blanks around its members and empty members are dropped. */
export function List(): PropertyDecorator {
  return Transform(({ value }: Given) => membersOf(value));
}

/** The path of a file, which comes back absolute. */
export function Path(): PropertyDecorator {
  return Transform(({ value }: Given) => resolve(value));
}

/** Digits alone: `1e3`, `0x10` and `-1` are typing errors here, not numbers. */
export function Whole(least: number, most: number): PropertyDecorator {
  const options = must(`a whole number from ${least} to ${most}`);
  return together(
    Transform(({ value }: Given) => (/^\d{1,15}$/.test(value) ? Number(value) : value)),
    Min(least, options),
    Max(most, options),
  );
}

function together(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
