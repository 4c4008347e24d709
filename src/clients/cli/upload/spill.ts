import { TemporaryFile } from './temporary-file.js';

/** Rows written together; also what each partition holds in memory. */
const BLOCK_BYTES = 16 * 1024;
/** A record: the row's length, its number and its key's hash (a double), then its bytes. */
const HEAD_BYTES = 16;

/** A row as it was put in, valid until the next one is taken. */
export interface SpilledRow {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  readonly number: number;
  readonly hash: number;
}

interface Block {
  readonly at: number;
  readonly length: number;
}

/**
 * Rows by partition of their key's hash, in one temporary file: each partition is small enough to
 * be divided in memory, and all rows of a key are in one.
 */
export class Spill {
  private readonly file = new TemporaryFile();
  private readonly buffers: Buffer[];
  private readonly used: Int32Array;
  private readonly blocks: Block[][];
  private reading = Buffer.allocUnsafe(BLOCK_BYTES);

  constructor(readonly partitions: number) {
    this.buffers = Array.from({ length: partitions }, () => Buffer.allocUnsafe(BLOCK_BYTES));
    this.used = new Int32Array(partitions);
    this.blocks = Array.from({ length: partitions }, () => []);
  }

  add(hash: number, number: number, raw: Buffer, from: number, to: number): void {
    const partition = hash % this.partitions;
    const length = to - from;
    const size = HEAD_BYTES + length;
    if (this.used[partition]! + size > BLOCK_BYTES) this.flush(partition);
    const isLong = size > BLOCK_BYTES;
    const buffer = isLong ? Buffer.allocUnsafe(size) : this.buffers[partition]!;
    const at = this.used[partition]!;
    buffer.writeUInt32LE(length, at);
    buffer.writeUInt32LE(number, at + 4);
    buffer.writeDoubleLE(hash, at + 8);
    raw.copy(buffer, at + HEAD_BYTES, from, to);
    if (isLong) this.write(partition, buffer);
    else this.used[partition] = at + size;
  }

  /** Calls `take` with the partition's rows in the file's order. */
  eachRow(partition: number, take: (row: SpilledRow) => void): void {
    this.flush(partition);
    for (const { at, length } of this.blocks[partition]!) {
      if (length > this.reading.length) this.reading = Buffer.allocUnsafe(length);
      const bytes = this.reading;
      this.file.read(at, bytes.subarray(0, length));
      for (let position = 0; position < length;) {
        const from = position + HEAD_BYTES;
        const to = from + bytes.readUInt32LE(position);
        const number = bytes.readUInt32LE(position + 4);
        take({ bytes, from, to, number, hash: bytes.readDoubleLE(position + 8) });
        position = to;
      }
    }
  }

  close(): void {
    this.file.close();
  }

  private flush(partition: number): void {
    const used = this.used[partition]!;
    if (used === 0) return;
    this.write(partition, this.buffers[partition]!.subarray(0, used));
    this.used[partition] = 0;
  }

  private write(partition: number, bytes: Buffer): void {
    this.blocks[partition]!.push({ at: this.file.append(bytes), length: bytes.length });
  }
}
