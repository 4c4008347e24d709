import fc from 'fast-check';

import {
  type Column,
  familyNamed,
  type FamilyName,
  type ValueKind,
} from '../../../src/domain/families/index.js';

/** Random files: valid ones, and ones with a few errors, in every form that CSV allows. */

/** How a file is written. The form does not affect the content. */
interface Form {
  readonly byteOrderMark: boolean;
  readonly breaks: readonly string[];
  /** Which fields to quote although they need no quotes; applied in turn. */
  readonly quotes: readonly boolean[];
  readonly ending: '' | 'break' | 'empty line';
}

export interface GeneratedFile {
  readonly family: FamilyName;
  readonly bytes: Buffer;
}

const hostile = fc
  .string({ unit: 'binary', maxLength: 20 })
  .map(
    (text) => text.replaceAll('\0', '').replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '') || 'x',
  );
const ordinary = fc.constantFrom(
  'Search',
  'search',
  'Größe',
  '日本語',
  'a, "b"',
  'a\nb',
  'a\rb',
  '""',
  '😀',
);
const long = fc.constantFrom('x'.repeat(256), '😀'.repeat(256), 'é'.repeat(130));
const text = fc.oneof({ weight: 8, arbitrary: ordinary }, { weight: 2, arbitrary: hostile }, long);
/** Few values, so that keys repeat. */
const keyText = fc.constantFrom('A', 'B', 'a', 'é', 'a"b', 'a,b');

const day = fc
  .integer({
    min: Date.parse('2025-12-08') / 86_400_000,
    max: Date.parse('2026-03-10') / 86_400_000,
  })
  .map((count) => new Date(count * 86_400_000).toISOString().slice(0, 10));
const amount = fc.oneof(
  fc.constantFrom('0', '-0', '1', '-1.5', '+2', '1e3', '00.25', '1e-400'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

const GOOD: Readonly<Record<ValueKind, fc.Arbitrary<string>>> = {
  date: fc.oneof(fc.constantFrom('2026-03-01', '2026-03-02'), day),
  channel: keyText,
  text,
  currency: fc.constantFrom('EUR', 'USD', 'XAF', 'HRK', 'XCG'),
  country: fc.constantFrom('de', 'xk', 'us'),
  count: fc.oneof(fc.constantFrom('0', '000', '999999999999'), fc.nat().map(String)),
  amount,
  'metric-name': fc.constantFrom('A', 'a', 'B2', '9', 'x'.repeat(256)),
  'event-source': fc.constantFrom('app', 'web', 'tracking_link', 'sms_link'),
  boolean: fc.constantFrom('true', 'false'),
};

const bad = fc.constantFrom(
  '', ' ', ' a', 'a\u3000', 'x'.repeat(257), '😀'.repeat(257), 'Acme Ads', 'eur', 'DEM', 'DE', 'uk',
  '-1', '1.0', '1000000000000', '.5', '5.', '1e999', 'NaN', '2026-02-29', '1969-12-31', '2149-06-07',
  '2026-03-11', '2025-12-07', 'True', 'email', 'a b', '__proto__',
); // prettier-ignore

type Table = string[][];

/** One error in a table whose first row is the header. */
const damage: fc.Arbitrary<(table: Table) => Table> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(), bad).map(([r, c, value]) => (table: Table) => {
    const row = table[1 + (r % Math.max(1, table.length - 1))] ?? table[0]!;
    row[c % row.length] = value;
    return table;
  }),
  fc
    .tuple(
      fc.nat(),
      fc.constantFrom('', ' ', 'cpc', 'Date', ' term', 'term', 'date', '__proto__', 'x'.repeat(70)),
    )
    .map(([c, name]) => (table: Table) => {
      table[0]![c % table[0]!.length] = name;
      return table;
    }),
  fc.nat().map((c) => (table: Table) => table.map((row) => row.toSpliced(c % row.length, 1))),
  fc.nat().map((c) => (table: Table) => table.map((row) => [...row, row[c % row.length]!])),
  fc
    .nat()
    .map(
      (r) => (table: Table) => table.map((row, i) => (i === r % table.length ? [...row, ''] : row)),
    ),
  fc.constant((table: Table) => table.slice(0, 1)),
);

const isNumber = ({ kind }: Column): boolean => kind === 'count' || kind === 'amount';

function tables(name: FamilyName): fc.Arbitrary<Table> {
  const family = familyNamed(name);
  const required = family.columns.filter((column) => column.required);
  const optional = family.columns.filter((column) => !column.required);
  return fc.subarray(optional).chain((chosen) =>
    fc
      .shuffledSubarray([...required, ...chosen], { minLength: required.length + chosen.length })
      .chain((columns) => {
        const row = fc.tuple(
          ...columns.map(({ kind, name: column, role, required: isRequired }) => {
            if (role === 'key' && kind === 'text') return keyText;
            const good = column === 'campaign' && name === 'cost' ? keyText : GOOD[kind];
            return isRequired || !family.optionalMayBeBlank
              ? good
              : fc.oneof({ weight: 3, arbitrary: good }, fc.constant(''));
          }),
        );
        const header = columns.map((column) => column.name);
        const rows = fc.array(row, { minLength: 1, maxLength: 12 });
        // Rows that agree with an earlier one in all but their numbers.
        const alike = fc.array(fc.tuple(fc.nat(), row), { maxLength: 6 });
        return fc
          .tuple(rows, alike)
          .map(([first, others]) => [
            header,
            ...first,
            ...others.map(([at, numbers]) =>
              first[at % first.length]!.map((value, column) =>
                isNumber(columns[column]!) ? numbers[column]! : value,
              ),
            ),
          ]);
      }),
  );
}

const form: fc.Arbitrary<Form> = fc.record({
  byteOrderMark: fc.boolean(),
  breaks: fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1, maxLength: 3 }),
  quotes: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  ending: fc.constantFrom('', 'break', 'empty line'),
});

function write(table: Table, { byteOrderMark, breaks, quotes, ending }: Form): Buffer {
  let fields = 0;
  const field = (value: string): string =>
    /[",\r\n]/.test(value) || quotes[fields++ % quotes.length]
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  const lineBreak = (line: number): string => breaks[line % breaks.length]!;
  let csv = byteOrderMark ? '\uFEFF' : '';
  table.forEach((row, line) => {
    csv += (line > 0 ? lineBreak(line - 1) : '') + row.map(field).join(',');
  });
  if (ending !== '') csv += lineBreak(0);
  if (ending === 'empty line') csv += lineBreak(1);
  return Buffer.from(csv, 'utf8');
}

const family = fc.constantFrom<FamilyName>('cost', 'self-serve');

export const validFile: fc.Arbitrary<GeneratedFile> = family.chain((name) =>
  fc.tuple(tables(name), form).map(([table, how]) => ({ family: name, bytes: write(table, how) })),
);

/** A file that is damaged in one to three ways. */
export const spoiltFile: fc.Arbitrary<GeneratedFile> = family.chain((name) =>
  fc
    .tuple(tables(name), fc.array(damage, { minLength: 1, maxLength: 3 }), form)
    .map(([table, damages, how]) => ({
      family: name,
      bytes: write(
        damages.reduce((damaged, spoil) => spoil(damaged), table),
        how,
      ),
    })),
);
