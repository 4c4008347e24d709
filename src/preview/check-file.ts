import { familyNamed, type FamilyName } from '../domain/families/index.js';
import type { Arena } from '../domain/memory.js';
import type { WarningThresholds } from '../domain/warning-thresholds.js';
import { prepareUpload, type UploadFacts } from '../csv/prepare-upload.js';
import { MOST_COMPARED } from '../warehouse/rows/compare-keys.js';
import { keyPieces } from '../warehouse/rows/key-pieces.js';
import { contentBlock, keyBlock } from '../warehouse/rows/storage-block.js';
import type { NativeBlock } from '../warehouse/warehouse.js';
import { type FileValues, valuesOf } from './warnings/file-values.js';
import { warningsOfFile } from './warnings/file-warnings.js';
import type { Warning } from './answer.js';

/** A file with more keys is too large to compare. */
const MOST_KEYS = 100_000;
/** So is one with more rows or more bytes, unpacked: it gets no warnings either. */
const MOST_ROWS = 200_000;
const MOST_BYTES = 16 * 1024 * 1024;

export interface FileToCheck extends PreviewedFile {
  readonly thresholds: WarningThresholds;
}

/** A file of a preview. */
export interface PreviewedFile {
  readonly family: FamilyName;
  readonly account: string;
  /** They follow one another. Each has a buffer of its own, which moves to the thread. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  readonly facts: UploadFacts;
}

export type CheckedFile =
  | { readonly valid: false; readonly reason: string }
  | {
      readonly valid: true;
      readonly rows: number;
      readonly keys: number;
      /** What the file alone says. */
      readonly warnings: readonly Warning[];
      /** Undefined: it has too many rows or bytes. */
      readonly values: FileValues | undefined;
      /** The keys, a row each (see `contentBlock`); undefined: the file is too large to compare. */
      readonly blocks: readonly NativeBlock[] | undefined;
      /** The keys of all rows; undefined: they are in several blocks, or in none. */
      readonly keyBlock: NativeBlock | undefined;
    };

const NO_BLOCKS = { blocks: undefined, keyBlock: undefined };

/**
 * Checks a file as ingest does.
 *
 * @param arena holds the blocks; empty without them
 */
export function checkFile(
  { family: name, account, parts, facts, thresholds }: FileToCheck,
  arena: Arena,
): CheckedFile {
  const family = familyNamed(name);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  const verdict = prepareUpload(family, parts, facts, { arena });
  if (!verdict.valid) return verdict;
  const { rows, keys } = verdict.upload;
  if (rows > MOST_ROWS || bytes > MOST_BYTES) {
    arena.clear();
    return { valid: true, rows, keys, warnings: [], values: undefined, ...NO_BLOCKS };
  }
  const values = valuesOf(family, parts);
  const warnings = warningsOfFile(family, values, facts.requestDay, thresholds);
  const checked = { valid: true, rows, keys, warnings, values } as const;
  if (keys > MOST_KEYS) {
    arena.clear();
    return { ...checked, ...NO_BLOCKS };
  }
  const uploads = Array.from(keyPieces(family, verdict.upload, MOST_COMPARED), (prepared) => {
    return { account, prepared };
  });
  const blocks = uploads.map((upload) => contentBlock(family, [upload], arena));
  return {
    ...checked,
    blocks,
    keyBlock: uploads.length === 1 ? keyBlock(family, uploads, arena) : undefined,
  };
}
