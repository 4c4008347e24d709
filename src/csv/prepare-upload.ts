import type { Family } from '../domain/families/index.js';
import { Arena } from '../domain/memory.js';
import { UploadColumns, type Header, MAX_HEADER_FIELDS, readHeader } from './upload-columns.js';
import { encodeUpload } from './encode-upload.js';
import type { Verdict } from './verdict.js';
import { type Kernel, withKernel } from './kernel/kernel.js';
import {
  BLOCK_ROWS,
  CsvScanner,
  faultOfText,
  isUtf8,
  isWellFormedText,
  RowBlock,
} from './csv-scanner.js';
import { RowFault } from './kernel/codes.js';
import { spreadsheetHint } from './spreadsheet/hint.js';
import {
  FILE,
  Findings,
  type FindingListener,
  reasonOfFile,
  faultText,
  widthText,
} from './findings.js';

/** What the verdict depends on besides the bytes. */
export interface UploadFacts {
  /** A fault of the whole file that was found before (broken gzip, too large unpacked). */
  readonly finding: string | null;
  /** The day of the request in the account's time zone, as a day count since 1970-01-01. */
  readonly requestDay: number;
  /** Channels with cost integration, which a cost upload may not name. */
  readonly integratedChannels: readonly string[];
}

export interface PrepareOptions {
  /** Called with every finding about a row, also with those that the reason leaves out. */
  readonly listener?: FindingListener;
  /** Where the columns are written; undefined: they get memory of their own. */
  readonly arena?: Arena;
}

/**
 * Parses, validates, groups by overwrite key and encodes one upload. A pure function of its
 * arguments, linear in the file's size.
 *
 * @param parts the whole file, in parts that follow one another
 */
export function prepareUpload(
  family: Family,
  parts: readonly Uint8Array[],
  facts: UploadFacts,
  { listener, arena = new Arena() }: PrepareOptions = {},
): Verdict {
  if (facts.finding !== null) return { valid: false, reason: reasonOfFile(facts.finding) };
  return withKernel((kernel) => {
    const file = new UploadFile(kernel, family, parts, facts, new Findings(listener));
    file.read();
    const { findings } = file;
    if (!findings.any) return { valid: true, upload: encodeUpload(family, file.columns, arena) };
    const hint = spreadsheetHint(family, parts, file.isUtf8);
    if (hint !== undefined) findings.addForCertain(hint);
    return { valid: false, reason: findings.toReason() };
  });
}

class UploadFile {
  readonly columns: UploadColumns;
  readonly isUtf8: boolean;
  private readonly scanner: CsvScanner;
  private readonly wellFormed: boolean;
  private dataRows = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly family: Family,
    parts: readonly Uint8Array[],
    facts: UploadFacts,
    readonly findings: Findings,
  ) {
    this.scanner = new CsvScanner(kernel, MAX_HEADER_FIELDS);
    this.scanner.open(parts);
    const { bytes } = this.scanner;
    this.wellFormed = isWellFormedText(bytes);
    this.isUtf8 = this.wellFormed || isUtf8(bytes);
    this.columns = new UploadColumns(kernel, family, facts, bytes.length);
  }

  read(): void {
    const header = this.readHeader();
    if (header === undefined) return;
    const block = new RowBlock(this.kernel, Math.min(header.width, MAX_HEADER_FIELDS));
    while (this.fill(block, header.width)) {
      this.columns.check(block, header, this.findings);
      if (!this.findings.any) this.columns.keep(block, header);
    }
    const { maxRows } = this.family;
    if (this.dataRows === 0) this.findings.add(FILE, 'the file has no data rows');
    else if (maxRows !== undefined && this.dataRows > maxRows) {
      this.findings.addForCertain(
        `the file has ${this.dataRows} data rows, at most ${maxRows} are allowed`,
      );
    }
  }

  private readHeader(): Header | undefined {
    const fields = this.scanner.next();
    if (fields === 0) {
      this.findings.add(FILE, 'the file is empty');
      return undefined;
    }
    const names = this.scanner.values();
    this.checkForm(1, names);
    return readHeader(this.family, names, fields, this.findings);
  }

  /**
   * Fills the block with the next rows of the header's width. Returns whether there was any row.
   */
  private fill(block: RowBlock, width: number): boolean {
    block.rows = 0;
    for (let read = 0; read < BLOCK_ROWS;) {
      const most = this.wellFormed ? BLOCK_ROWS - read : 1;
      const taken = block.take(width, most, this.dataRows + 2);
      read += taken;
      this.dataRows += taken;
      if (taken === most) {
        if (!this.wellFormed) this.checkLast(block);
        continue;
      }
      if (this.scanner.fields === 0) return read > 0;
      read++;
      this.dataRows++;
      this.judgeOther(block, width);
    }
    return true;
  }

  /** Removes the last row from the block if its text is not well-formed. */
  private checkLast(block: RowBlock): void {
    const row = block.rows - 1;
    // One look at all values, which nearly every row passes: a field begins and ends beside ASCII.
    if (isWellFormedText(block.spanOf(row))) return;
    if (!this.checkForm(this.dataRows + 1, valuesOf(block, row, block.width))) block.rows = row;
  }

  /** Reports the fault of the row that the block has not taken. */
  private judgeOther(block: RowBlock, width: number): void {
    const { fields } = this.scanner;
    const row = this.dataRows + 1;
    const values = valuesOf(block, block.rows, Math.min(fields, block.width));
    if (this.checkForm(row, values)) {
      this.findings.addOfRow(FILE, row, () => widthText(fields, width));
    }
  }

  /** Whether the row that was scanned last is well-formed CSV and text. */
  private checkForm(row: number, values: Iterable<Uint8Array>): boolean {
    const { fault } = this.scanner;
    if (fault !== RowFault.none) {
      this.findings.addOfRow(FILE, row, () => faultText(fault));
      return false;
    }
    if (this.wellFormed) return true;
    let field = 0;
    for (const value of values) {
      field++;
      const fault = faultOfText(value);
      if (fault !== undefined) {
        this.findings.addOfRow(FILE, row, () => `field ${field} ${fault}`);
        return false;
      }
    }
    return true;
  }
}

function* valuesOf(block: RowBlock, row: number, fields: number): Iterable<Uint8Array> {
  for (let field = 0; field < fields; field++) yield block.valueAt(row, field);
}
