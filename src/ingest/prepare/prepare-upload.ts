import type { Family } from '../../domain/families/index.js';
import type { UploadEnd } from '../../domain/upload-records.js';
import { UploadColumns } from '../columns/upload-columns.js';
import { ColumnSpace } from '../columns/column-space.js';
import { encodeUpload } from '../encode/encode-upload.js';
import type { Verdict } from '../encode/prepared-upload.js';
import { CsvScanner, ROW_FAULT } from '../parse/csv-scanner.js';
import { BLOCK_ROWS, createRowBlock, type RowBlock } from '../parse/row-block.js';
import { faultOfField, isWellFormedText, startOfText } from '../parse/well-formed-text.js';
import { FILE, Findings, type FindingListener, reasonOfFile } from '../validate/findings.js';
import { type Header, MAX_HEADER_FIELDS, readHeader } from '../validate/header.js';
import { faultText, widthText } from '../validate/row-form.js';

/** What the verdict depends on besides the bytes. */
export type UploadFacts = Pick<UploadEnd, 'finding' | 'requestDay' | 'integratedChannels'>;

export interface PrepareOptions {
  /** Told of every finding about a row, also of those that the reason leaves out. */
  readonly listener?: FindingListener;
  /** Where the columns are written; without it they get memory of their own. */
  readonly space?: ColumnSpace;
}

/**
 * Parses, validates, groups by overwrite key and encodes one upload. A pure function of its
 * arguments, linear in the file's size.
 *
 * @param bytes the whole file, which is changed in place
 */
export function prepareUpload(
  family: Family,
  bytes: Uint8Array,
  facts: UploadFacts,
  { listener, space = new ColumnSpace() }: PrepareOptions = {},
): Verdict {
  if (facts.finding !== null) return { valid: false, reason: reasonOfFile(facts.finding) };
  const file = new UploadFile(family, bytes, facts, new Findings(listener));
  file.read();
  if (file.findings.any) return { valid: false, reason: file.findings.toReason() };
  return { valid: true, upload: encodeUpload(family, file.columns, space) };
}

class UploadFile {
  readonly columns: UploadColumns;
  private readonly scanner: CsvScanner;
  private readonly wellFormed: boolean;
  private dataRows = 0;

  constructor(
    private readonly family: Family,
    private readonly bytes: Uint8Array,
    facts: UploadFacts,
    readonly findings: Findings,
  ) {
    this.scanner = new CsvScanner(bytes, startOfText(bytes), bytes.length);
    this.wellFormed = isWellFormedText(bytes);
    this.columns = UploadColumns.of(family, facts);
  }

  read(): void {
    const header = this.readHeader();
    if (header === undefined) return;
    const block = createRowBlock(this.bytes, Math.min(header.width, MAX_HEADER_FIELDS));
    while (this.fill(block, header.width)) {
      this.columns.check(block, header, this.findings);
      if (!this.findings.any) this.columns.group(block, header);
    }
    const { maxRows } = this.family;
    if (this.dataRows === 0) this.findings.add(FILE, 'the file has no data rows');
    else if (maxRows !== undefined && this.dataRows > maxRows) {
      this.findings.add(
        FILE,
        `the file has ${this.dataRows} data rows, at most ${maxRows} are allowed`,
      );
    }
  }

  private readHeader(): Header | undefined {
    const starts = new Int32Array(MAX_HEADER_FIELDS);
    const ends = new Int32Array(MAX_HEADER_FIELDS);
    const fields = this.scanner.next(starts, ends, 0, MAX_HEADER_FIELDS);
    if (fields === 0) {
      this.findings.add(FILE, 'the file is empty');
      return undefined;
    }
    this.checkForm(1, starts, ends, 0, Math.min(fields, MAX_HEADER_FIELDS));
    return readHeader(this.family, this.bytes, starts, ends, fields, this.findings);
  }

  /** Fills the block with the next rows of the header's width. Returns whether there were any rows at all. */
  private fill(block: RowBlock, width: number): boolean {
    block.rows = 0;
    for (let read = 0; read < BLOCK_ROWS; read++) {
      const at = block.rows * block.width;
      const fields = this.scanner.next(block.starts, block.ends, at, block.width);
      if (fields === 0) return read > 0;
      this.dataRows++;
      const row = this.dataRows + 1;
      const stored = Math.min(fields, block.width);
      if (!this.checkForm(row, block.starts, block.ends, at, stored)) continue;
      if (fields !== width) {
        this.findings.addOfRow(FILE, row, () => widthText(fields, width));
        continue;
      }
      block.rowNumbers[block.rows++] = row;
    }
    return true;
  }

  /** Whether the row that was scanned last is well-formed CSV and text. */
  private checkForm(
    row: number,
    starts: Int32Array,
    ends: Int32Array,
    at: number,
    fields: number,
  ): boolean {
    const { fault } = this.scanner;
    if (fault !== ROW_FAULT.none) {
      this.findings.addOfRow(FILE, row, () => faultText(fault));
      return false;
    }
    if (this.wellFormed) return true;
    for (let i = at; i < at + fields; i++) {
      const fault = faultOfField(this.bytes, starts[i]!, ends[i]!);
      if (fault !== undefined) {
        this.findings.addOfRow(FILE, row, () => `field ${i - at + 1} ${fault}`);
        return false;
      }
    }
    return true;
  }
}
