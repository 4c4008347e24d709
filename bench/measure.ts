/** Measurements side by side. */

/** The median of several measurements, and their range. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0]!, max: sorted.at(-1)! };
}

/** @param sorted ascending, at least one value; quantiles between two values are interpolated */
export function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  return low + (high - low) * (at - Math.floor(at));
}

/** The measurements of each contestant, by round. */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Measures contestants in turn, round after round (A B A B …). Other work on the machine and its
 * caches then affect all of them alike, and the ratios within a round are as fair as possible.
 */
export async function inTurn<Name extends string>(
  rounds: number,
  contestants: Readonly<Record<Name, () => Promise<number>>>,
  onMeasured: (name: Name, round: number, value: number) => void = () => undefined,
): Promise<Rounds<Name>> {
  const names = Object.keys(contestants) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const value = await contestants[name]();
      measured[name].push(value);
      onMeasured(name, round, value);
    }
  }
  return measured;
}

/** One measurement divided by the other, by round. */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((value, round) => value / theirs[round]!);
}
