import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** The text of lmdb 3.5.6 for a failed write. The numbers of its second half are not set. */
const TEXT = 'Attempting to write page at position %u, size %u, blocks %u, buffer sizes %i %i %i\0';
const END = TEXT.indexOf(', blocks');

/**
 * Fixes lmdb 3.5.6 in this process: it writes the message of a failed write, up to 120 bytes, into
 * 100 bytes that it has allocated. What that damages may end the process or let it hang. Here the
 * text ends after the size, and the message has room. The text is data of a compiled library, so it
 * is changed in the memory of the process; the file stays as it is.
 *
 * Where the system does not allow that, nothing changes.
 */
export function mendWriteError(): void {
  try {
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      for (const range of constantsOfLmdb()) shorten(memory, range);
    } finally {
      closeSync(memory);
    }
  } catch {
    // As the library does it, then.
  }
}

interface Range {
  readonly start: number;
  readonly bytes: number;
}

/** Where the constants of the library are in memory. Format: proc_pid_maps(5). */
function constantsOfLmdb(): Range[] {
  const maps = readFileSync('/proc/self/maps', 'latin1');
  return Array.from(
    maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) r--p .*\/lmdb-[^/]*\/[^/]*\.node$/gm),
    ([, from, to]) => {
      const start = parseInt(from!, 16);
      return { start, bytes: parseInt(to!, 16) - start };
    },
  );
}

function shorten(memory: number, { start, bytes }: Range): void {
  const constants = Buffer.alloc(bytes);
  readSync(memory, constants, 0, bytes, start);
  const at = constants.indexOf(TEXT, 0, 'latin1');
  if (at >= 0) writeSync(memory, Buffer.alloc(1), 0, 1, start + at + END);
}
