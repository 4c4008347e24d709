/**
 * What is wrong with a file: messages by column, bounded, as the request's `reason` gives them.
 *
 * Built on a Map because a column of a file may be called `__proto__`.
 */

export const FILE = 'file';

const MESSAGES_A_COLUMN = 20;
/** Room for every column of a family and `file` stays free of unknown names. */
const MAX_UNKNOWN_COLUMNS = 26;
/**
 * Beyond it only the first message of a column is kept: a message takes at most half a KiB, so with
 * one for each remaining column and the closing ones ("and 12 more") the reason stays below 64 KiB.
 */
const FULL_BYTES = 48 * 1024;

/** Told of every finding about a row; the header is row 1. */
export type FindingListener = (column: string, row: number, message: string) => void;

interface ColumnFindings {
  readonly messages: string[];
  unsaid: number;
}

export class Findings {
  private readonly columns = new Map<string, ColumnFindings>();
  private bytes = 0;
  private unknownColumns = 0;
  private unknownUnsaid = 0;

  constructor(private readonly listener?: FindingListener) {}

  get any(): boolean {
    return this.columns.size > 0;
  }

  /** Whether a further message of the column would be kept. */
  private hasRoom(column: string): boolean {
    const known = this.columns.get(column);
    return (
      known === undefined || (known.messages.length < MESSAGES_A_COLUMN && this.bytes < FULL_BYTES)
    );
  }

  add(column: string, message: string): void {
    if (!this.hasRoom(column)) {
      this.of(column).unsaid++;
      return;
    }
    this.of(column).messages.push(message);
    this.bytes += bytesInJson(message);
  }

  /**
   * A finding about a row.
   *
   * @param row as a spreadsheet shows it: the header is row 1
   * @param messageOf called only where the message is wanted: a file may have a million findings
   */
  addOfRow(column: string, row: number, messageOf: () => string): void {
    if (this.listener === undefined && !this.hasRoom(column)) {
      this.of(column).unsaid++;
      return;
    }
    const message = messageOf();
    this.listener?.(column, row, message);
    this.add(column, `row ${row}: ${message}`);
  }

  /** A finding about a name of the header that no column of the family has. */
  addUnknownColumn(name: string, message: string): void {
    if (!this.columns.has(name)) {
      if (this.unknownColumns === MAX_UNKNOWN_COLUMNS) {
        this.unknownUnsaid++;
        return;
      }
      this.unknownColumns++;
    }
    this.add(name, message);
  }

  /** A JSON object from column name to messages, at most 50 keys and 64 KiB. */
  toReason(): string {
    if (this.unknownUnsaid > 0) {
      this.add(FILE, `row 1: ${this.unknownUnsaid} more column names are not allowed`);
    }
    const entries = [...this.columns].map(([name, { messages, unsaid }]) => {
      const all = unsaid > 0 ? [...messages, `and ${unsaid} more`] : messages;
      return `${JSON.stringify(name)}:${JSON.stringify(all)}`;
    });
    return `{${entries.join(',')}}`;
  }

  private of(column: string): ColumnFindings {
    let known = this.columns.get(column);
    if (known === undefined) {
      known = { messages: [], unsaid: 0 };
      this.columns.set(column, known);
      this.bytes += bytesInJson(column);
    }
    return known;
  }
}

const UTF8 = new TextEncoder();

function bytesInJson(text: string): number {
  return UTF8.encode(JSON.stringify(text)).length;
}

/** The reason of a request that failed as a whole, for one cause. */
export function reasonOfFile(message: string): string {
  const findings = new Findings();
  findings.add(FILE, message);
  return findings.toReason();
}
