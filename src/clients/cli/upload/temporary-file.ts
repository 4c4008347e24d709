import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

/**
 * A file for this process alone. Its name is removed at once, so the system reclaims its space
 * however the process ends.
 */
export class TemporaryFile {
  private readonly fd: number;
  size = 0;

  constructor() {
    const path = join(tmpdir(), `custom-data-${randomUUID()}`);
    this.fd = openSync(path, 'wx+', 0o600);
    rmSync(path);
  }

  /** Returns where the bytes begin. */
  append(bytes: Uint8Array): number {
    const at = this.size;
    for (let done = 0; done < bytes.length;) {
      done += writeSync(this.fd, bytes, done, bytes.length - done, at + done);
    }
    this.size += bytes.length;
    return at;
  }

  /** Fills `into` with the bytes from `at` on. */
  read<T extends Uint8Array>(at: number, into: T): T {
    for (let done = 0; done < into.length;) {
      const read = readSync(this.fd, into, done, into.length - done, at + done);
      if (read === 0) throw new Error('a temporary file is shorter than it was');
      done += read;
    }
    return into;
  }

  close(): void {
    closeSync(this.fd);
  }
}
