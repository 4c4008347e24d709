import { ratios, spreadOf, type Spread } from '../measure.js';

/** One line of the table. */
export interface Figure {
  readonly name: string;
  /** As text; blank for a figure without a goal. */
  readonly goal: string;
  readonly measured: string;
  /** The values behind a ratio. */
  readonly detail: string;
  readonly outcome: 'pass' | 'short' | 'shown' | 'not run';
}

export interface Goal {
  readonly is: 'at least' | 'at most';
  readonly value: number;
}

export const atLeast = (value: number): Goal => ({ is: 'at least', value });
export const atMost = (value: number): Goal => ({ is: 'at most', value });

interface Compared {
  readonly name: string;
  /** Undefined: the figure is only shown. */
  readonly goal?: Goal;
  readonly unit: string;
  /** Measurements by round. */
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** The name of the other contestant. */
  readonly beside: string;
  readonly note?: string;
}

/** Compares the median of the rounds' ratios with the goal. */
export function ratioFigure({ name, goal, unit, ours, theirs, beside, note }: Compared): Figure {
  const ratio = spreadOf(ratios(ours, theirs));
  const values = `${amount(spreadOf(ours).median, unit)}, ${beside} ${amount(spreadOf(theirs).median, unit)}`;
  return {
    name,
    goal: goal === undefined ? '' : `${sign(goal)} ${goal.value}x`,
    measured: withSpread(ratio, (value) => `${value.toFixed(2)}x`),
    detail: note === undefined ? values : `${values}; ${note}`,
    outcome: outcomeOf(ratio, goal),
  };
}

interface Alone {
  readonly name: string;
  readonly goal?: Goal;
  readonly unit: string;
  readonly values: readonly number[];
  readonly note?: string;
}

/** Compares the median of the rounds' values with the goal. */
export function valueFigure({ name, goal, unit, values, note }: Alone): Figure {
  const spread = spreadOf(values);
  return {
    name,
    goal: goal === undefined ? '' : `${sign(goal)} ${amount(goal.value, unit)}`,
    measured: withSpread(spread, (value) => amount(value, unit)),
    detail: note ?? '',
    outcome: outcomeOf(spread, goal),
  };
}

export function notRun(name: string, why: string): Figure {
  return { name, goal: '', measured: '', detail: `not run: ${why}`, outcome: 'not run' };
}

function outcomeOf({ median }: Spread, goal: Goal | undefined): Figure['outcome'] {
  if (goal === undefined) return 'shown';
  const holds = goal.is === 'at least' ? median >= goal.value : median <= goal.value;
  return holds ? 'pass' : 'short';
}

function sign({ is }: Goal): string {
  return is === 'at least' ? '>=' : '<=';
}

function withSpread({ median, min, max }: Spread, format: (value: number) => string): string {
  return `${format(median)} (${format(min)} to ${format(max)})`;
}

/** A value with its unit. Thousands are written as `k`, so that columns stay narrow. */
export function amount(value: number, unit: string): string {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)}k ${unit}`;
  return `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
}
