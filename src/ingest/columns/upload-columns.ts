import type { Column, Family } from '../../domain/families/index.js';
import { keyColumns, rowColumns } from '../../domain/families/index.js';
import type { Kernel } from '../kernel/kernel.js';
import type { RowBlock } from '../parse/row-block.js';
import type { Findings } from '../validate/findings.js';
import type { Header } from '../validate/header.js';
import { type DayWindow, messageOf } from '../validate/rules.js';
import type { CheckedColumn, StoredColumn } from './column.js';
import { DayColumn } from './day-column.js';
import { AmountColumn, BooleanColumn, CountColumn } from './number-columns.js';
import { KeyTextColumn, TextColumn } from './text-column.js';
import { tableOf, textRuleOf } from './text-rules.js';

/** What of an upload's facts the column rules depend on. */
interface RuleFacts {
  readonly requestDay: number;
  readonly integratedChannels: readonly string[];
}

/** As many bytes as a row with a key of its own has at least; with fewer the keys are found later. */
const BYTES_A_KEY = 64;

/**
 * The columns of one file of a family, and its overwrite keys. The memory behind stored columns
 * and keys is kept from file to file: a kernel has one file at a time.
 */
export class UploadColumns {
  /** By name, the columns stored once a row. */
  readonly stored: ReadonlyMap<string, StoredColumn>;
  /** Which of the stored columns the file has. */
  readonly present = new Set<string>();
  private readonly checked: ReadonlyMap<string, CheckedColumn>;
  private readonly window: DayWindow | undefined;
  private readonly keyTexts: readonly [number, number];

  /** @param bytes of the file */
  constructor(
    readonly kernel: Kernel,
    private readonly family: Family,
    facts: RuleFacts,
    bytes: number,
  ) {
    const { stored, keyTexts } = memoryOf(kernel, family);
    this.stored = stored;
    for (const column of stored.values()) column.reset();
    kernel.calls.openKeys(Math.ceil(bytes / BYTES_A_KEY));
    const { dateWindowDays } = family;
    this.window =
      dateWindowDays === undefined
        ? undefined
        : { first: facts.requestDay - dateWindowDays, last: facts.requestDay };
    const checked = new Map<string, CheckedColumn>([...stored, ...keyTexts]);
    for (const { name, kind } of keyColumns(family)) {
      if (kind === 'date') checked.set(name, new DayColumn(this.window));
      if (kind === 'channel') keyTexts.get(name)!.setTable(tableOf(facts.integratedChannels));
    }
    this.checked = checked;
    const texts = keyColumns(family).filter((column) => column.kind !== 'date');
    this.keyTexts = [family.columns.indexOf(texts[0]!), family.columns.indexOf(texts[1]!)];
  }

  /** Checks every value of the block's rows and keeps them while nothing was found. */
  check(block: RowBlock, header: Header, findings: Findings): void {
    this.family.columns.forEach((column, index) => {
      const field = header.fieldOf[index]!;
      if (field === -1) return;
      if (column.role !== 'key') this.present.add(column.name);
      this.kernel.report = (row, broken) => {
        findings.addOfRow(column.name, block.rowNumbers[row]!, () =>
          messageOf(block.valueAt(row, field), broken, column.kind, this.window),
        );
      };
      this.checked.get(column.name)!.take(block, field, !findings.any);
    });
  }

  /** Finds the overwrite keys of the block's rows, which must be valid. */
  group({ width, rows }: RowBlock, header: Header): void {
    const [first, second] = this.keyTexts;
    this.kernel.calls.groupRows(header.fieldOf[first]!, header.fieldOf[second]!, width, rows);
  }
}

interface Memory {
  readonly stored: ReadonlyMap<string, StoredColumn>;
  readonly keyTexts: ReadonlyMap<string, KeyTextColumn>;
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
  const texts = keyColumns(family).filter(({ kind }) => kind !== 'date');
  return {
    stored: new Map(
      rowColumns(family).map((column) => [column.name, storedColumn(kernel, family, column)]),
    ),
    keyTexts: new Map(
      texts.map(({ name, kind }) => [name, new KeyTextColumn(kernel, textRuleOf(kind))]),
    ),
  };
}

function storedColumn(kernel: Kernel, family: Family, column: Column): StoredColumn {
  switch (column.kind) {
    case 'count':
      return new CountColumn(kernel);
    case 'amount':
      return new AmountColumn(kernel);
    case 'boolean':
      return new BooleanColumn(kernel);
    default: {
      const mayBeBlank = !column.required && family.optionalMayBeBlank;
      return new TextColumn(kernel, textRuleOf(column.kind), mayBeBlank);
    }
  }
}
