import { hash } from 'node:crypto';
import type { PackedPart } from './packer.js';
import { TemporaryFile } from './temporary-file.js';

/** A part that is ready to be sent. */
export interface StoredPart {
  /** The same in every run for the same rows of the same file of the command. */
  readonly id: string;
  readonly rows: number;
  readonly at: number;
  readonly length: number;
}

/** A file of the command with its parts. */
export interface DividedFile {
  readonly name: string;
  /** SHA-256 of its bytes. */
  readonly digest: string;
  readonly rows: number;
  readonly parts: readonly StoredPart[];
}

/** The parts of all files, in a temporary file until they are sent. */
export class PartStore {
  private readonly file = new TemporaryFile();

  /** @param fileIndex which file of the command the part is of */
  add(fileIndex: number, { content, sent, rowNumbers }: PackedPart): StoredPart {
    const digest = hash('sha256', content);
    const at = this.file.append(sent);
    this.file.append(new Uint8Array(rowNumbers.buffer));
    return {
      id: `${fileIndex}-${digest}`,
      rows: rowNumbers.length,
      at,
      length: sent.length,
    };
  }

  /** The bytes to send. */
  bytes({ at, length }: StoredPart): Buffer {
    return this.file.read(at, Buffer.allocUnsafe(length));
  }

  /** Which row of the file each row of the part is. */
  rowNumbers({ at, length, rows }: StoredPart): Uint32Array {
    const bytes = this.file.read(at + length, new Uint8Array(4 * rows));
    return new Uint32Array(bytes.buffer);
  }

  close(): void {
    this.file.close();
  }
}
