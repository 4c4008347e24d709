/**
 * The working files of ingest: the crash journal, and the spilled chunks of open uploads. None of
 * them is synced: they outlive at most the process, never the machine.
 *
 * Errors have the code of the operating system (`ENOSPC`, …).
 */
export interface WorkingFiles {
  /** Makes the folder, or removes every file in it. */
  clear(folder: string): Promise<void>;
  /**
   * Writes all of `bytes` at `offset` of the file, which is made if it is missing. After an error
   * any part of them may have been written.
   */
  write(path: string, bytes: Uint8Array, offset: number): Promise<void>;
  /**
   * Fills `into` with the bytes from `offset` on.
   *
   * @throws Error also when the file is shorter
   */
  read(path: string, into: Uint8Array, offset: number): Promise<void>;
  /** Does nothing when the file is not there. */
  remove(path: string): Promise<void>;
  lines(path: string): LineFile;
}

/** A small text file. Its operations are synchronous: a few bytes need not wait behind others. */
export interface LineFile {
  /** The whole text; empty when the file is not there. */
  read(): string;
  /** Replaces the whole text. After an error the file is as it was. */
  replace(text: string): void;
  /**
   * Only after `replace`. After an error a part of `text` may be at the end; the next `append`
   * overwrites it.
   */
  append(text: string): void;
  /** Closes the file; nothing may follow. */
  close(): void;
  /** The same, and removes it. */
  remove(): void;
}
