import type { SpilledRow } from './spill.js';

const LF = 0x0a;

/** A part that is being filled. Room is reserved for whole keys first, then their rows come. */
export class OpenPart {
  rows = 0;
  reservedRows = 0;
  reservedBytes: number;
  private buffer: Buffer<ArrayBuffer>;
  private used: number;
  private numbers = new Uint32Array(0);
  private hashes = new Float64Array(0);
  /** Where each row ends, its line break included. */
  private ends = new Uint32Array(0);

  constructor(private readonly header: Buffer) {
    this.buffer = Buffer.allocUnsafe(header.length + 1);
    header.copy(this.buffer);
    this.buffer[header.length] = LF;
    this.used = header.length + 1;
    this.reservedBytes = this.used;
  }

  get content(): Buffer<ArrayBuffer> {
    return this.buffer.subarray(0, this.used);
  }

  get rowNumbers(): Uint32Array {
    return this.numbers.slice(0, this.rows);
  }

  get firstRow(): Buffer {
    return this.buffer.subarray(this.header.length + 1, this.ends[0]! - 1);
  }

  reserve(rows: number, bytes: number): void {
    this.reservedRows += rows;
    this.reservedBytes += bytes;
  }

  append({ bytes, from, to, number, hash }: SpilledRow): void {
    this.grow();
    bytes.copy(this.buffer, this.used, from, to);
    this.used += to - from;
    this.buffer[this.used++] = LF;
    this.numbers[this.rows] = number;
    this.hashes[this.rows] = hash;
    this.ends[this.rows++] = this.used;
  }

  /** The same rows in two parts of about the same size, whole keys each; undefined: it is one key. */
  halves(): [OpenPart, OpenPart] | undefined {
    const sizes = new Map<number, { rows: number; bytes: number }>();
    this.eachRow(({ hash, from, to }) => {
      const { rows, bytes } = sizes.get(hash) ?? { rows: 0, bytes: 0 };
      sizes.set(hash, { rows: rows + 1, bytes: bytes + to - from + 1 });
    });
    if (sizes.size < 2) return undefined;
    const halves: [OpenPart, OpenPart] = [new OpenPart(this.header), new OpenPart(this.header)];
    const partOf = new Map<number, OpenPart>();
    let rest = this.used / 2;
    for (const [hash, { rows, bytes }] of sizes) {
      // The first key always goes to the first half and the last to the second.
      const half = partOf.size === 0 || (rest > 0 && partOf.size < sizes.size - 1) ? 0 : 1;
      halves[half].reserve(rows, bytes);
      partOf.set(hash, halves[half]);
      rest -= bytes;
    }
    this.eachRow((row) => {
      partOf.get(row.hash)!.append(row);
    });
    return halves;
  }

  private grow(): void {
    if (this.buffer.length < this.reservedBytes) {
      const grown = Buffer.allocUnsafe(this.reservedBytes);
      this.buffer.copy(grown, 0, 0, this.used);
      this.buffer = grown;
    }
    if (this.numbers.length < this.reservedRows) {
      const { numbers, hashes, ends, reservedRows } = this;
      (this.numbers = new Uint32Array(reservedRows)).set(numbers);
      (this.hashes = new Float64Array(reservedRows)).set(hashes);
      (this.ends = new Uint32Array(reservedRows)).set(ends);
    }
  }

  private eachRow(take: (row: SpilledRow) => void): void {
    let from = this.header.length + 1;
    for (let i = 0; i < this.rows; i++) {
      const end = this.ends[i]!;
      const number = this.numbers[i]!;
      take({ bytes: this.buffer, from, to: end - 1, number, hash: this.hashes[i]! });
      from = end;
    }
  }
}
