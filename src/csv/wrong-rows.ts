import { withKernel } from './kernel/kernel.js';
import { CsvScanner } from './csv-scanner.js';
import { MAX_HEADER_FIELDS } from './upload-columns.js';

export interface RowFinding {
  readonly column: string;
  readonly message: string;
}

/** A row of a file that breaks rules. */
export interface WrongRow {
  /** The header is row 1. */
  readonly row: number;
  readonly values: readonly string[];
  readonly findings: readonly RowFinding[];
}

export class RowFindings {
  private readonly rows = new Map<number, RowFinding[]>();

  /** How many rows have findings. */
  get size(): number {
    return this.rows.size;
  }

  add(column: string, row: number, message: string): void {
    const known = this.rows.get(row);
    if (known === undefined) this.rows.set(row, [{ column, message }]);
    else known.push({ column, message });
  }

  of(row: number): readonly RowFinding[] | undefined {
    return this.rows.get(row);
  }
}

/** A file's header and its rows with findings, in the file's order. */
export interface WrongRows {
  readonly columns: readonly string[];
  readonly rows: readonly WrongRow[];
}

export function wrongRowsOf(content: Uint8Array, found: RowFindings): WrongRows {
  return withKernel((kernel) => {
    const scanner = new CsvScanner(kernel, MAX_HEADER_FIELDS);
    scanner.open([content]);
    const text = new TextDecoder('utf-8', { ignoreBOM: true });
    let columns: readonly string[] = [];
    const rows: WrongRow[] = [];
    for (let row = 1; scanner.next() > 0; row++) {
      const findings = found.of(row);
      if (row > 1 && findings === undefined) continue;
      const values = scanner.values().map((value) => text.decode(value));
      if (row === 1) columns = values;
      if (findings !== undefined) rows.push({ row, values, findings });
    }
    return { columns, rows };
  });
}
