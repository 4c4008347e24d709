import { MAX_ANNOTATED_ROWS } from '../../csv/annotated-rows.js';
import type { FamilyName } from '../../domain/families/index.js';
import type { Status } from '../../status/transition.js';

export const FAMILY_NAMES: Readonly<Record<FamilyName, string>> = {
  cost: 'Cost',
  'self-serve': 'Self-serve metrics',
};

/** What the states of a request mean to its sender. */
export const STATUS_TEXTS: Readonly<Record<Status, string>> = {
  uploaded: 'Received, being checked by the service',
  validated: 'Valid, being stored',
  ingested: 'Stored, being indexed',
  succeeded: 'Succeeded. It is in reports within 10 minutes',
  failed: 'Failed. Nothing of the file was stored',
};

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(2)} MiB`;
}

export function countText(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export function wrongRowsText(count: number): string {
  const text = countText(count, 'wrong row');
  return count < MAX_ANNOTATED_ROWS ? text : `At least ${text}`;
}

/** A file name quoted for a shell, whatever is in it: the reader may copy it. */
export function shellWord(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name;
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** One thing that is wrong with a file. */
export interface Mistake {
  /** The header is row 1; undefined: the file as a whole. */
  readonly row: number | undefined;
  readonly column: string;
  readonly message: string;
}

/**
 * What a `reason` says, by row and then column; the same for the service and for the check here.
 */
export function mistakesIn(reason: string): Mistake[] {
  const columns = Object.entries(JSON.parse(reason) as Record<string, readonly string[]>);
  const mistakes = columns.flatMap(([column, messages]) =>
    messages.map((text): Mistake => {
      const [, row, message] = /^row (\d+): ([^]*)$/.exec(text) ?? [];
      if (row === undefined || message === undefined)
        return { row: undefined, column, message: text };
      return { row: Number(row), column, message };
    }),
  );
  return mistakes.sort((a, b) => (a.row ?? Infinity) - (b.row ?? Infinity));
}
