import { COUNTRIES } from '../domain/code-lists/countries.js';
import { CURRENCIES } from '../domain/code-lists/currencies.js';
import { EVENT_SOURCES, type ValueKind } from '../domain/families/index.js';
import { TextKind } from './kernel/codes.js';
import type { RowBlock } from './csv-scanner.js';
import type { Arena } from '../domain/memory.js';
import type { DayWindow } from './findings.js';
import type { Kernel } from './kernel/kernel.js';

/** Which texts a column takes, as the kernel has it (`TextRule` in `kernel/assembly/texts.ts`). */
export interface TextRule {
  readonly kind: TextKind;
  readonly letters?: number;
  readonly firstLetter?: number;
  readonly table?: Uint8Array;
}

const RULES: Partial<Record<ValueKind, TextRule>> = {
  text: { kind: TextKind.plain },
  // Channels with cost integration are refused: the table has those of the account.
  channel: { kind: TextKind.plainOther },
  currency: codeRule(CURRENCIES, 'A'),
  country: codeRule(COUNTRIES, 'a'),
  'metric-name': { kind: TextKind.metricName },
  'event-source': { kind: TextKind.listed, table: tableOf(EVENT_SOURCES) },
  boolean: { kind: TextKind.listed, table: tableOf(['true', 'false']) },
};

export function textRuleOf(kind: ValueKind): TextRule {
  const rule = RULES[kind];
  if (rule === undefined) throw new Error(`values of the kind ${kind} are not text`);
  return rule;
}

/** Texts one after the other, each preceded by its length in four bytes. */
export function tableOf(words: readonly string[]): Uint8Array {
  return Uint8Array.from(
    words.flatMap((word) => {
      const bytes = new TextEncoder().encode(word);
      return [...new Uint8Array(Uint32Array.of(bytes.length).buffer), ...bytes];
    }),
  );
}

/** A flag for each code, at the number that its letters make in base 26. */
function codeRule(codes: readonly string[], first: string): TextRule {
  const letters = codes[0]!.length;
  const firstLetter = first.charCodeAt(0);
  const table = new Uint8Array(26 ** letters);
  for (const code of codes) {
    let number = 0;
    for (let i = 0; i < letters; i++) number = number * 26 + code.charCodeAt(i) - firstLetter;
    table[number] = 1;
  }
  return { kind: TextKind.code, letters, firstLetter, table };
}

/** Checks one column's values a block at a time. Broken rules go to the kernel's `report`. */
export interface CheckedColumn {
  /** @param field the column's place in the header */
  take(block: RowBlock, field: number): void;
}

/** The date of the overwrite key: checked, and held for the current block. */
export class DayColumn implements CheckedColumn {
  /** @param window undefined: any day that the warehouse holds */
  constructor(private readonly window: DayWindow | undefined) {}

  take({ kernel, width, rows }: RowBlock, field: number): void {
    const { first, last } = this.window ?? { first: 0, last: 0x7fff_ffff };
    kernel.calls.takeDays(field, width, rows, first, last);
  }
}

/**
 * A text column. Its values are only checked here; they are stored once a key, or with the texts of
 * their row.
 */
export class TextColumn implements CheckedColumn {
  private readonly column: number;

  constructor(
    private readonly kernel: Kernel,
    { kind, letters = 0, firstLetter = 0, table }: TextRule,
    mayBeBlank: boolean,
  ) {
    this.column = kernel.calls.newTextColumn(kind, letters, firstLetter, mayBeBlank);
    if (table !== undefined) this.setTable(table);
  }

  /** Sets the rule's table for the next file. */
  setTable(table: Uint8Array): void {
    const address = this.kernel.calls.roomForTable(this.column, table.length);
    this.kernel.view(address, table.length).set(table);
  }

  take({ kernel, width, rows }: RowBlock, field: number): void {
    kernel.calls.checkTexts(this.column, field, width, rows);
  }
}

/**
 * A column of numbers, kept in the warehouse's own form. Encoded columns are memory of the arena.
 */
export class NumberColumn implements CheckedColumn {
  /** The kernel's. */
  readonly column: number;

  /** @param isAmount decimal numbers, Native `Float64`; otherwise whole ones, `UInt64` */
  constructor(
    private readonly kernel: Kernel,
    private readonly isAmount: boolean,
  ) {
    this.column = kernel.calls.newNumberColumn();
  }

  /** Forgets the values and keeps the memory for the next file. */
  reset(): void {
    this.kernel.calls.clearNumbers(this.column);
  }

  take({ kernel, width, rows }: RowBlock, field: number): void {
    if (this.isAmount) kernel.calls.takeAmounts(this.column, field, width, rows);
    else kernel.calls.takeCounts(this.column, field, width, rows);
  }

  /** The Native column of the combinations, with the sum of each one's rows. */
  encodeSums(arena: Arena): Uint8Array {
    const { calls } = this.kernel;
    const sums = this.isAmount ? calls.sumAmounts(this.column) : calls.sumCounts(this.column);
    return this.copyOf(sums, calls.combinationsOfFile(), arena);
  }

  /** The Native column of the CSV rows that are stored too. */
  encodeRows(arena: Arena): Uint8Array {
    const { calls } = this.kernel;
    return this.copyOf(calls.numbersOf(this.column, true), calls.csvRowsOfFile(), arena);
  }

  private copyOf(address: number, count: number, arena: Arena): Uint8Array {
    return arena.copyOf(this.kernel.view(address, 8 * count));
  }
}

export class RowTexts {
  /** The kernel's. */
  readonly texts: number;

  constructor(private readonly kernel: Kernel) {
    this.texts = kernel.calls.newRowTexts();
  }

  reset(): void {
    this.kernel.calls.clearRowTexts(this.texts);
  }

  /**
   * Keeps the texts of a block's rows, which must be valid.
   *
   * @param fields by text column its place in the header, or -1
   */
  take({ kernel, width, rows }: RowBlock, fields: readonly number[]): void {
    const present = [];
    let last = 0;
    for (const [text, field] of fields.entries()) {
      if (field === -1) continue;
      present.push(field, text - last);
      last = text;
    }
    const address = kernel.calls.roomForTextFields(present.length / 2);
    const { buffer, byteOffset } = kernel.view(address, 4 * present.length);
    new Int32Array(buffer, byteOffset, present.length).set(present);
    kernel.calls.takeRowTexts(this.texts, present.length / 2, last, width, rows);
  }

  /**
   * Native columns of the combinations: one for each of the first texts, then one of the others,
   * NUL between them. Texts that the file does not have are blank; nothing follows the last one
   * that it has.
   *
   * @param isPresent of each of the first texts, whether the file has it
   */
  encodeCombinations(isPresent: readonly boolean[], arena: Arena): Uint8Array[] {
    const { calls } = this.kernel;
    calls.openTexts(this.texts);
    let skipped = 0;
    const next = (isRest: boolean): Uint8Array => {
      const column = this.copyOf(calls.nextTexts(this.texts, skipped, isRest), arena);
      skipped = 0;
      return column;
    };
    const own = isPresent.map((present) => {
      if (present) return next(false);
      skipped++;
      return arena.bytes(calls.combinationsOfFile()).fill(0);
    });
    return [...own, next(true)];
  }

  /** The Native column of the CSV rows that are stored too: all texts of a row, NUL between them. */
  encodeRows(arena: Arena): Uint8Array {
    return this.copyOf(this.kernel.calls.textsOfCsvRows(this.texts), arena);
  }

  private copyOf(address: number, arena: Arena): Uint8Array {
    return arena.copyOf(this.kernel.view(address, this.kernel.calls.textBytes()));
  }
}
