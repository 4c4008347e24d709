import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { OpenPart } from './open-part.js';
import type { PartLimits } from '../../api/part-limits.js';
import type { Spill } from './spill.js';

/** A part of a file, small enough for one request, with all of the file's rows of its keys. */
export interface PackedPart {
  /** CSV with the file's header. */
  readonly content: Buffer<ArrayBuffer>;
  /** The content as it is to be sent. */
  readonly sent: Buffer;
  /** For each row of the content after the header, which row of the file it is. */
  readonly rowNumbers: Uint32Array;
}

export interface PackerOutput {
  part(part: PackedPart): void;
  /** A key whose rows do not fit into one request; `row` is its first. */
  tooLarge(row: Buffer, rows: number): void;
}

const pack = promisify(gzip);
/** Most of gzip's gain for half of its time. */
const GZIP_LEVEL = 4;
/** How many parts are compressed at a time. */
const AT_ONCE = 4;

interface Key {
  rows: number;
  bytes: number;
  /** Where its rows go; undefined: nowhere, they are too many. */
  part: OpenPart | undefined;
  isReported: boolean;
}

/**
 * Puts the rows of partitions into parts, whole keys at a time, in the order of the keys' first
 * rows. The last part of a partition stays open for the keys of the next.
 */
export class Packer {
  private open: OpenPart;

  constructor(
    private readonly limits: PartLimits,
    private readonly header: Buffer,
    private readonly output: PackerOutput,
  ) {
    this.open = new OpenPart(header);
  }

  async add(spill: Spill, partition: number): Promise<void> {
    const keys = countKeys(spill, partition);
    const full: OpenPart[] = [];
    for (const key of keys.values()) {
      if (!this.fitsAlone(key)) continue;
      if (!this.fits(key)) {
        full.push(this.open);
        this.open = new OpenPart(this.header);
      }
      this.open.reserve(key.rows, key.bytes);
      key.part = this.open;
    }
    spill.eachRow(partition, (row) => {
      const key = keys.get(row.hash)!;
      if (key.part !== undefined) key.part.append(row);
      else if (!key.isReported) {
        key.isReported = true;
        this.output.tooLarge(row.bytes.subarray(row.from, row.to), key.rows);
      }
    });
    await this.emit(full);
  }

  async end(): Promise<void> {
    if (this.open.rows > 0) await this.emit([this.open]);
  }

  private fitsAlone({ rows, bytes }: Key): boolean {
    return rows <= this.limits.rows && this.header.length + 1 + bytes <= this.limits.bytes;
  }

  private fits({ rows, bytes }: Key): boolean {
    const { open, limits } = this;
    if (open.reservedRows === 0) return true;
    return (
      open.reservedRows + rows <= limits.rows && open.reservedBytes + bytes <= limits.fullBytes
    );
  }

  private async emit(parts: readonly OpenPart[]): Promise<void> {
    for (let from = 0; from < parts.length; from += AT_ONCE) {
      const some = parts.slice(from, from + AT_ONCE);
      const sent = await Promise.all(some.map((part) => this.sentForm(part)));
      for (const [i, part] of some.entries()) await this.give(part, sent[i]!);
    }
  }

  private async sentForm(part: OpenPart): Promise<Buffer> {
    return this.limits.isCompressed ? pack(part.content, { level: GZIP_LEVEL }) : part.content;
  }

  private async give(part: OpenPart, sent: Buffer): Promise<void> {
    if (sent.length <= this.limits.sentBytes) {
      this.output.part({ content: part.content, sent, rowNumbers: part.rowNumbers });
      return;
    }
    const halves = part.halves();
    if (halves === undefined) this.output.tooLarge(part.firstRow, part.rows);
    else await this.emit(halves);
  }
}

/** The keys of a partition, in the order in which they first occur. */
function countKeys(spill: Spill, partition: number): Map<number, Key> {
  const keys = new Map<number, Key>();
  spill.eachRow(partition, ({ hash, from, to }) => {
    let key = keys.get(hash);
    if (key === undefined) {
      key = { rows: 0, bytes: 0, part: undefined, isReported: false };
      keys.set(hash, key);
    }
    key.rows++;
    key.bytes += to - from + 1;
  });
  return keys;
}
