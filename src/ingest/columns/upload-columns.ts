import type { Column, Family } from '../../domain/families/index.js';
import { keyColumns, rowColumns } from '../../domain/families/index.js';
import { OverwriteKeys } from '../group/overwrite-keys.js';
import type { RowBlock } from '../parse/row-block.js';
import type { Findings } from '../validate/findings.js';
import type { Header } from '../validate/header.js';
import { BROKEN, type DayWindow, messageOf } from '../validate/rules.js';
import type { CheckedColumn, StoredColumn } from './column.js';
import { DayColumn } from './day-column.js';
import { AmountColumn, BooleanColumn, CountColumn } from './number-columns.js';
import { KeyTextColumn, TextColumn } from './text-column.js';
import { channelRule, textRuleOf } from './text-rules.js';

/** What of an upload's facts the column rules depend on. */
interface RuleFacts {
  readonly requestDay: number;
  readonly integratedChannels: readonly string[];
}

/**
 * The columns of one file of a family, and its overwrite keys. The memory behind stored columns
 * and keys is kept from file to file: one thread prepares one file at a time.
 */
export class UploadColumns {
  readonly keys: OverwriteKeys;
  /** By name, the columns stored once a row. */
  readonly stored: ReadonlyMap<string, StoredColumn>;
  /** Which of the stored columns the file has. */
  readonly present = new Set<string>();
  private readonly checked: ReadonlyMap<string, CheckedColumn>;
  private readonly day: DayColumn;
  private readonly window: DayWindow | undefined;
  private readonly keyTexts: readonly [number, number];

  static of(family: Family, facts: RuleFacts): UploadColumns {
    const memory = memoryOf(family);
    memory.keys.reset();
    for (const column of memory.stored.values()) column.reset();
    return new UploadColumns(family, facts, memory);
  }

  private constructor(
    private readonly family: Family,
    facts: RuleFacts,
    memory: Memory,
  ) {
    this.keys = memory.keys;
    this.stored = memory.stored;
    const { dateWindowDays } = family;
    this.window =
      dateWindowDays === undefined
        ? undefined
        : { first: facts.requestDay - dateWindowDays, last: facts.requestDay };
    this.day = new DayColumn(this.window);
    const checked = new Map<string, CheckedColumn>(memory.stored);
    for (const column of keyColumns(family)) {
      checked.set(column.name, this.keyColumn(column, facts));
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
      this.checked.get(column.name)!.take(block, field, !findings.any, (row, broken) => {
        this.report(column, block, row, field, broken, findings);
      });
    });
  }

  /** Finds the overwrite keys of the block's rows, which must be valid. */
  group(block: RowBlock, header: Header): void {
    const [first, second] = this.keyTexts;
    this.keys.take(block, this.day.days, header.fieldOf[first]!, header.fieldOf[second]!);
    if (block.rows > 0) this.view = block.view;
  }

  /** Of the bytes that the keys' positions refer to. */
  view: DataView = new DataView(new ArrayBuffer(0));

  private keyColumn(column: Column, facts: RuleFacts): CheckedColumn {
    if (column.kind === 'date') return this.day;
    return new KeyTextColumn(
      column.kind === 'channel' ? channelRule(facts.integratedChannels) : textRuleOf(column.kind),
    );
  }

  private report(
    column: Column,
    block: RowBlock,
    row: number,
    field: number,
    broken: number,
    findings: Findings,
  ): void {
    if (broken === BROKEN.none) return;
    findings.addOfRow(column.name, block.rowNumbers[row]!, () => {
      const at = row * block.width + field;
      const value = block.bytes.subarray(block.starts[at], block.ends[at]);
      return messageOf(value, broken, column.kind, this.window);
    });
  }
}

interface Memory {
  readonly keys: OverwriteKeys;
  readonly stored: ReadonlyMap<string, StoredColumn>;
}

const memories = new Map<Family, Memory>();

function memoryOf(family: Family): Memory {
  let memory = memories.get(family);
  if (memory === undefined) {
    memory = {
      keys: new OverwriteKeys(),
      stored: new Map(
        rowColumns(family).map((column) => [column.name, storedColumn(family, column)]),
      ),
    };
    memories.set(family, memory);
  }
  return memory;
}

function storedColumn(family: Family, column: Column): StoredColumn {
  switch (column.kind) {
    case 'count':
      return new CountColumn();
    case 'amount':
      return new AmountColumn();
    case 'boolean':
      return new BooleanColumn();
    default:
      return new TextColumn(textRuleOf(column.kind), !column.required && family.optionalMayBeBlank);
  }
}
