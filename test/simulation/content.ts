import { textOfDay } from '../../src/domain/days.js';
import { COST, type Family, SELF_SERVE } from '../../src/domain/families/index.js';
import { csvOf, type CsvRow } from '../support/model/warehouse-model.js';
import type { Random } from './random.js';
import { POISON } from './warehouse.js';

/**
 * What processing a file causes, besides the verdict: preparing it throws, throws once or ends the
 * process, or the warehouse rejects it.
 */
export type Fate = 'none' | 'throws' | 'stumbles' | 'kills' | 'poison';

/** A file that a client sends, and what the test knows about it. */
export interface Content {
  readonly family: Family;
  readonly rows: readonly CsvRow[];
  readonly bytes: Buffer;
  /** The gateway's finding about the file as a whole. */
  readonly finding: string | null;
  readonly fate: Fate;
}

export interface ContentMix {
  readonly broken: number;
  readonly large: number;
  readonly fates: Readonly<Partial<Record<Fate, number>>>;
}

/** Markers in a file that cause its `Fate`. */
export const MARKS = {
  throws: 'throws exception',
  stumbles: 'throws once',
  kills: 'kills process',
} as const;

const LONG_TEXT = 250;
const DAYS = 3;

/** A file with few keys, which collide with those of other files. Few files have several chunks. */
export function contentOf(random: Random, today: number, mix: ContentMix): Content {
  const family = random.chance(0.6) ? COST : SELF_SERVE;
  const isLarge = random.chance(mix.large);
  const rowCount = isLarge ? 40 + random.int(80) : 1 + random.int(6);
  const optional = family.columns.filter(({ required, kind }) => !required && kind === 'text');
  const texts = isLarge ? optional : optional.filter(() => random.chance(0.15));
  const rows = Array.from({ length: rowCount }, () => ({
    ...rowOf(family, random, today),
    ...Object.fromEntries(texts.map(({ name }) => [name, textOf(random, isLarge)])),
  }));
  if (random.chance(mix.broken)) return brokenFile(family, rows, random);
  const fate = fateOf(random, mix);
  const last = rows.at(-1)!;
  if (fate === 'poison')
    rows.push({
      ...last,
      ...(family === COST ? { campaign: POISON } : { event_category: POISON }),
    });
  else if (fate !== 'none') rows.push({ ...last, channel: MARKS[fate] });
  return { family, rows, bytes: Buffer.from(csvOf(family, rows)), finding: null, fate };
}

function fateOf(random: Random, { fates }: ContentMix): Fate {
  let rest = random.next();
  for (const [fate, probability] of Object.entries(fates)) {
    rest -= probability;
    if (rest < 0) return fate as Fate;
  }
  return 'none';
}

function rowOf(family: Family, random: Random, today: number): CsvRow {
  const date = textOfDay(today - 1 - random.int(DAYS));
  const amount = String((random.int(4_000) - 500) / 4);
  if (family === SELF_SERVE) {
    const event_category = random.pick(['Visits', 'Orders']);
    return { date, channel: random.pick(['news', 'radio']), event_category, event_value: amount };
  }
  const isZero = random.chance(0.2);
  const count = (): string => (isZero ? '0' : String(random.int(1_000)));
  return {
    date,
    channel: random.pick(['news', 'radio']),
    currency: random.pick(['EUR', 'USD']),
    campaign: random.pick(['one', 'two', 'drei, "3"']),
    impressions: count(),
    clicks: count(),
    cost: isZero ? '0' : amount,
  };
}

function textOf(random: Random, isLong: boolean): string {
  const text = random.pick(['a', 'größe', 'with "quotes"', 'comma, inside', 'two\nlines', '日本']);
  return isLong ? `${text}${'x'.repeat(LONG_TEXT - text.length)}` : text;
}

const BREAKS: readonly ((csv: string, random: Random) => string | Buffer)[] = [
  () => '',
  (csv) => csv.slice(0, csv.indexOf('\r\n')),
  (csv) => csv.replace('date', 'Date'),
  (csv) => csv.replace('channel,', 'channel,unknown,'),
  (csv) => csv.replace(/\d\d\d\d-\d\d-\d\d/, '2026-02-31'),
  (csv) => csv.replace('channel,', 'channel,channel,'),
  (csv) => `${csv}"never closed`,
  (csv) => `${csv}one,two\r\n`,
  (csv) => csv.replace(/\r\n(.*),/, '\r\n $1,'),
  (csv) => csv.replaceAll(/\d\d\d\d-\d\d/g, '1969-01'),
  (csv) => csv.replaceAll(/\d+(\.\d+)?(\r\n|$)/g, '1e999$2'),
  (csv) => csv.replaceAll(/EUR|USD|Visits|Orders/g, 'no-such-word'),
  (csv) => Buffer.concat([Buffer.from(csv), Buffer.from([0xff, 0xfe, 0x00])]),
  (csv, random) => `${csv.slice(0, random.int(csv.length))}\n"`,
];

function brokenFile(family: Family, rows: readonly CsvRow[], random: Random): Content {
  const broken = random.pick(BREAKS)(csvOf(family, rows), random);
  const finding = random.chance(0.1) ? 'the gzip data is damaged' : null;
  return { family, rows, bytes: Buffer.from(broken), finding, fate: 'none' };
}
