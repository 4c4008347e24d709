import { setImmediate } from 'node:timers/promises';
import { type Family, keyColumns } from '../../../domain/families/index.js';
import { withKernel } from '../../../csv/kernel/kernel.js';
import { CsvScanner } from '../../../csv/csv-scanner.js';
import { RowFault } from '../../../csv/kernel/codes.js';
import { FILE, Findings, faultText, widthText, excerptOf } from '../../../csv/findings.js';
import { readHeader } from '../../../csv/upload-columns.js';
import { Beginning } from './beginning.js';
import { hashOfKey } from './key-hash.js';
import { type PackedPart, Packer } from './packer.js';
import { limitsOf, limitsText, type PartLimits } from '../../api/part-limits.js';
import { EndlessRowError, type ScannedRow, scanRows } from './row-scan.js';
import type { FileContent } from './source.js';
import { Spill } from './spill.js';

/** Where the results go. */
export interface DivideOutput {
  part(part: PackedPart): void;
  /** A row that is in no part, because it is not well-formed; valid during the call only. */
  malformedRow(row: ScannedRow, message: string): void;
  /**
   * Anything else that keeps the file from being uploaded; the message names the row, if it is one.
   */
  problem(column: string, message: string): void;
}

export interface DividedContent {
  /** How many rows of data the file has. */
  readonly rows: number;
  /** The names in its header, as they stand there. */
  readonly columns: readonly string[];
  /** What is to be said of the file, if it is not valid, because a spreadsheet has saved it. */
  readonly hint: string | undefined;
}

/** How many bytes of rows are divided in memory at a time. */
const PARTITION_BYTES = 262_144;
const MAX_PARTITIONS = 2048;

/**
 * Divides a file of any size into parts that are requests each. All rows of an overwrite key are in
 * one part, since a second request would replace those of the first. The same file gives the same
 * parts every time.
 *
 * Memory does not grow with the file: its rows go to a temporary file, by the hash of their keys.
 */
export async function divide(
  family: Family,
  source: FileContent,
  output: DivideOutput,
): Promise<DividedContent> {
  const partitions = Math.ceil(source.size / PARTITION_BYTES);
  const spill = new Spill(Math.max(1, Math.min(partitions, MAX_PARTITIONS)));
  try {
    const beginning = new Beginning();
    const reading = new Reading(family, spill, output);
    try {
      await scanRows(beginning.of(source.pieces()), (row) => {
        reading.take(row);
      });
    } catch (error) {
      if (!(error instanceof EndlessRowError)) throw error;
      output.problem(FILE, error.message);
    }
    if (reading.rows === undefined) output.problem(FILE, 'the file is empty');
    else if (reading.rows === 0) output.problem(FILE, 'the file has no data rows');
    if (reading.header !== undefined) {
      await packAll(spill, limitsOf(family), reading.header, reading.keyFields, output);
    }
    const { rows = 0, columns } = reading;
    return { rows, columns, hint: beginning.hint(family) };
  } finally {
    spill.close();
  }
}

/** The row's values as text. */
export function valuesOf(row: ScannedRow): string[] {
  return fieldsOf(row).map((value) => value.toString('utf8'));
}

function fieldsOf({ values, starts, ends, fields }: ScannedRow): Buffer[] {
  return Array.from({ length: Math.min(fields, starts.length) }, (_, field) =>
    values.subarray(starts[field], ends[field]),
  );
}

/** Puts the rows of a file into the spill, as they come. */
class Reading {
  /** Data rows; undefined before the header. */
  rows: number | undefined;
  /** The header's bytes; undefined while there is none in which the keys can be found. */
  header: Buffer | undefined;
  columns: readonly string[] = [];
  keyFields: readonly number[] = [];
  private width = 0;

  constructor(
    private readonly family: Family,
    private readonly spill: Spill,
    private readonly output: DivideOutput,
  ) {}

  take(row: ScannedRow): void {
    if (this.rows === undefined) {
      this.rows = 0;
      this.takeHeader(row);
      return;
    }
    this.rows++;
    const { number, from, to, raw, fields, starts, ends, values, fault } = row;
    if (fault !== RowFault.none) {
      this.output.malformedRow(row, faultText(fault));
    } else if (fields !== this.width) {
      this.output.malformedRow(row, widthText(fields, this.width));
    } else if (this.header !== undefined) {
      this.spill.add(hashOfKey(values, starts, ends, this.keyFields), number, raw, from, to);
    }
  }

  private takeHeader(row: ScannedRow): void {
    const { raw, from, to, fields, fault } = row;
    const findings = new Findings();
    if (fault !== RowFault.none) findings.addOfRow(FILE, 1, () => faultText(fault));
    const { fieldOf } = readHeader(this.family, fieldsOf(row), fields, findings);
    const reason = JSON.parse(findings.toReason()) as Record<string, readonly string[]>;
    for (const [column, messages] of Object.entries(reason)) {
      for (const message of messages) this.output.problem(column, message);
    }
    this.width = fields;
    this.columns = valuesOf(row);
    this.keyFields = keyColumns(this.family).map(
      (column) => fieldOf[this.family.columns.indexOf(column)]!,
    );
    const isUsable = fault === RowFault.none && !this.keyFields.includes(-1);
    if (isUsable) this.header = Buffer.from(raw.subarray(from, to));
  }
}

async function packAll(
  spill: Spill,
  limits: PartLimits,
  header: Buffer,
  keyFields: readonly number[],
  output: DivideOutput,
): Promise<void> {
  const packer = new Packer(limits, header, {
    part: (part) => {
      output.part(part);
    },
    tooLarge: (row, rows) => {
      output.problem(
        FILE,
        `the ${rows} rows of the overwrite key ${keyText(row, keyFields)} must be in one request, ` +
          `but a request holds ${limitsText(limits)}`,
      );
    },
  });
  for (let partition = 0; partition < spill.partitions; partition++) {
    await packer.add(spill, partition);
    // An interrupt is noticed between two partitions.
    await setImmediate();
  }
  await packer.end();
}

function keyText(row: Buffer, keyFields: readonly number[]): string {
  return withKernel((kernel) => {
    const scanner = new CsvScanner(kernel, Math.max(...keyFields) + 1);
    scanner.open([row], 0);
    scanner.next();
    const values = scanner.values();
    return `(${keyFields.map((field) => excerptOf(values[field]!)).join(', ')})`;
  });
}
