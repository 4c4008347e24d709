import { type Family, keyColumns, textColumns, valueColumns } from '../domain/families/index.js';
import type { Kernel } from './kernel/kernel.js';
import type { RowBlock } from './csv-scanner.js';
import { type DayWindow, FILE, type Findings, brokenRuleText, excerptOf } from './findings.js';
import {
  type CheckedColumn,
  DayColumn,
  NumberColumn,
  RowTexts,
  TextColumn,
  tableOf,
  textRuleOf,
} from './column-kinds.js';

/** Where the family's columns stand in a file. */
export interface Header {
  /** How many fields each row must have. */
  readonly width: number;
  /** By the family's column: its place in the header, or -1. */
  readonly fieldOf: readonly number[];
}

/** Names beyond this number are counted, not checked; no family has nearly as many columns. */
export const MAX_HEADER_FIELDS = 128;

const WHITESPACE_AT_ENDS = /^\p{White_Space}|\p{White_Space}$/u;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Checks the header: every required column once, optional ones at most once, any order, no others.
 *
 * @param names the header's first `MAX_HEADER_FIELDS` fields
 * @param fields how many there are in all
 */
export function readHeader(
  family: Family,
  names: readonly Uint8Array[],
  fields: number,
  findings: Findings,
): Header {
  const places = new Map(family.columns.map((column, index) => [column.name, index]));
  const fieldOf = family.columns.map(() => -1);
  names.forEach((bytes, field) => {
    if (bytes.length === 0) {
      findings.add(FILE, `row 1: column ${field + 1} has no name`);
      return;
    }
    const name = excerptOf(bytes);
    const index = places.get(name);
    if (index === undefined) {
      findings.addUnknownColumn(
        name,
        WHITESPACE_AT_ENDS.test(UTF8.decode(bytes))
          ? `row 1: "${name}" has whitespace at its beginning or end`
          : `row 1: "${name}" is not a column of a ${family.name} upload`,
      );
    } else if (fieldOf[index] !== -1) {
      findings.add(name, `row 1: "${name}" appears more than once`);
    } else {
      fieldOf[index] = field;
    }
  });
  if (fields > names.length) {
    findings.addForCertain(
      `row 1: has ${fields} columns, at most ${family.columns.length} are possible`,
    );
  }
  family.columns.forEach((column, index) => {
    if (column.required && fieldOf[index] === -1) {
      findings.add(column.name, 'row 1: the required column is missing');
    }
  });
  return { width: fields, fieldOf };
}

/** The facts of an upload on which the column rules depend. */
interface RuleFacts {
  readonly requestDay: number;
  readonly integratedChannels: readonly string[];
}

/**
 * Bytes of a short row with a key of its own. If rows are shorter, the table of keys grows later.
 */
const BYTES_A_KEY = 64;

/**
 * The columns of one file of a family, and its overwrite keys. The memory of stored columns and
 * keys is kept from file to file, because a kernel has one file at a time.
 */
export class UploadColumns {
  /** By name: the columns stored once a row that are not texts. */
  readonly stored: ReadonlyMap<string, NumberColumn>;
  readonly texts: RowTexts;
  /** Which of a row's columns the file has. */
  readonly present = new Set<string>();
  private readonly checked: ReadonlyMap<string, CheckedColumn>;
  private readonly window: DayWindow | undefined;
  /** Which of the family's columns they are. */
  private readonly keyTexts: readonly [number, number];
  private readonly rowTexts: readonly number[];

  /** @param bytes of the file */
  constructor(
    readonly kernel: Kernel,
    private readonly family: Family,
    facts: RuleFacts,
    bytes: number,
  ) {
    const { stored, texts, checkedTexts } = memoryOf(kernel, family);
    this.stored = stored;
    this.texts = texts;
    for (const column of [...stored.values(), texts]) column.reset();
    kernel.calls.openKeys(Math.ceil(bytes / BYTES_A_KEY));
    const { dateWindowDays } = family;
    this.window =
      dateWindowDays === undefined
        ? undefined
        : { first: facts.requestDay - dateWindowDays, last: facts.requestDay };
    const checked = new Map<string, CheckedColumn>([...stored, ...checkedTexts]);
    for (const { name, kind } of keyColumns(family)) {
      if (kind === 'date') checked.set(name, new DayColumn(this.window));
      if (kind === 'channel') checkedTexts.get(name)!.setTable(tableOf(facts.integratedChannels));
    }
    this.checked = checked;
    const [first, second] = keyColumns(family).filter((column) => column.kind !== 'date');
    this.keyTexts = [family.columns.indexOf(first!), family.columns.indexOf(second!)];
    this.rowTexts = textColumns(family).map((column) => family.columns.indexOf(column));
  }

  /** Checks every value of the block's rows. */
  check(block: RowBlock, header: Header, findings: Findings): void {
    this.family.columns.forEach((column, index) => {
      const field = header.fieldOf[index]!;
      if (field === -1) return;
      if (column.role !== 'key') this.present.add(column.name);
      this.kernel.report = (row, broken) => {
        findings.addOfRow(column.name, block.rowNumbers[row]!, () =>
          brokenRuleText(block.valueAt(row, field), broken, column.kind, this.window),
        );
      };
      this.checked.get(column.name)!.take(block, field);
    });
  }

  /** Keeps the texts of the block's rows, which must be valid, and finds their overwrite keys. */
  keep(block: RowBlock, { fieldOf }: Header): void {
    this.texts.take(
      block,
      this.rowTexts.map((column) => fieldOf[column]!),
    );
    const [first, second] = this.keyTexts;
    this.kernel.calls.groupRows(fieldOf[first]!, fieldOf[second]!, block.width, block.rows);
  }
}

interface Memory {
  readonly stored: ReadonlyMap<string, NumberColumn>;
  readonly texts: RowTexts;
  /** By name, the texts of the key and of the row. */
  readonly checkedTexts: ReadonlyMap<string, TextColumn>;
}

const memories = new WeakMap<Kernel, Map<Family, Memory>>();

function memoryOf(kernel: Kernel, family: Family): Memory {
  let ofKernel = memories.get(kernel);
  if (ofKernel === undefined) memories.set(kernel, (ofKernel = new Map<Family, Memory>()));
  let memory = ofKernel.get(family);
  if (memory === undefined) ofKernel.set(family, (memory = newMemory(kernel, family)));
  return memory;
}

function newMemory(kernel: Kernel, family: Family): Memory {
  const keyTexts = keyColumns(family).filter(({ kind }) => kind !== 'date');
  return {
    stored: new Map(
      valueColumns(family).map(({ name, kind }) => [
        name,
        new NumberColumn(kernel, kind === 'amount'),
      ]),
    ),
    texts: new RowTexts(kernel),
    checkedTexts: new Map(
      [...keyTexts, ...textColumns(family)].map(({ name, kind, required }) => {
        const mayBeBlank = !required && family.optionalMayBeBlank;
        return [name, new TextColumn(kernel, textRuleOf(kind), mayBeBlank)];
      }),
    ),
  };
}
