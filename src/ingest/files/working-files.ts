/**
 * The working files of ingest: the crash journal, and what open uploads spill. None of them is
 * synced: what they hold has to outlive the process at most, never the machine.
 *
 * Errors have the code of the operating system (`ENOSPC`, …).
 */
export interface WorkingFiles {
  /** Makes the folder, or removes everything in it. */
  clear(folder: string): Promise<void>;
  /**
   * Writes all of `bytes` at `offset` of the file, which is made if it is not there. After an error
   * any part of them may have been written.
   */
  write(path: string, bytes: Uint8Array, offset: number): Promise<void>;
  /**
   * Fills `into` with what stands from `offset` on.
   *
   * @throws Error also when the file is shorter
   */
  read(path: string, into: Uint8Array, offset: number): Promise<void>;
  /** Does nothing when the file is not there. */
  remove(path: string): Promise<void>;
  lines(path: string): LineFile;
}

/** A small file of text. Its operations are synchronous: a few bytes wait behind nothing else. */
export interface LineFile {
  /** The whole text; empty when the file is not there. */
  read(): string;
  /** Puts `text` in the place of all that is there. After an error the file is as it was. */
  replace(text: string): void;
  /**
   * Only after `replace`. After an error a part of `text` may stand at the end; the next `append`
   * writes over it.
   */
  append(text: string): void;
  /** Closes the file; nothing may follow. */
  close(): void;
  /** The same, and removes it. */
  remove(): void;
}
