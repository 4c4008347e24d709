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
  readonly comparison?: Comparison;
  /** What a summary summarises. Printed in a table of its own. */
  readonly parts?: readonly Figure[];
}

/** The medians behind a ratio. */
export interface Comparison {
  readonly ratio: number;
  readonly unit: string;
  readonly ours: number;
  readonly theirs: number;
  readonly beside: string;
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
  const comparison = {
    ratio: ratio.median,
    unit,
    ours: spreadOf(ours).median,
    theirs: spreadOf(theirs).median,
    beside,
  };
  const values = `${amount(comparison.ours, unit)}, ${beside} ${amount(comparison.theirs, unit)}`;
  return {
    name,
    goal: goal === undefined ? '' : `${sign(goal)} ${goal.value}x`,
    measured: withSpread(ratio, (value) => `${value.toFixed(2)}x`),
    detail: note === undefined ? values : `${values}; ${note}`,
    outcome: outcomeOf(ratio.median, goal),
    comparison,
  };
}

/** One line for many ratios that have the same goal. It names those that are short, the worst first. */
export function summaryFigure(name: string, parts: readonly Figure[]): Figure {
  const ratioOf = (part: Figure): number => part.comparison!.ratio;
  const short = parts
    .filter(({ outcome }) => outcome === 'short')
    .sort((a, b) => ratioOf(b) - ratioOf(a))
    .map((part) => `${part.name} ${ratioOf(part).toFixed(1)}x`);
  return {
    name,
    goal: parts[0]!.goal,
    measured: withSpread(spreadOf(parts.map(ratioOf)), (value) => `${value.toFixed(1)}x`),
    detail: short.length > 0 ? `short: ${short.join(', ')}` : `all of ${parts.length}`,
    outcome: short.length > 0 ? 'short' : parts[0]!.outcome,
    parts,
  };
}

interface Alone {
  readonly name: string;
  readonly goal?: Goal;
  readonly unit: string;
  readonly values: readonly number[];
  readonly note?: string;
  /** Whether no round may exceed the goal. The maximum is compared with it then. */
  readonly isLimit?: boolean;
}

/** Compares the median of the rounds' values with the goal. */
export function valueFigure(alone: Alone): Figure {
  const { name, goal, unit, values, note, isLimit = false } = alone;
  const spread = spreadOf(values);
  return {
    name,
    goal: goal === undefined ? '' : `${sign(goal)} ${amount(goal.value, unit)}`,
    measured: withSpread(spread, (value) => amount(value, unit)),
    detail: note ?? '',
    outcome: outcomeOf(isLimit ? spread.max : spread.median, goal),
  };
}

export function notRun(name: string, why: string): Figure {
  return { name, goal: '', measured: '', detail: `not run: ${why}`, outcome: 'not run' };
}

function outcomeOf(measured: number, goal: Goal | undefined): Figure['outcome'] {
  if (goal === undefined) return 'shown';
  const holds = goal.is === 'at least' ? measured >= goal.value : measured <= goal.value;
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
