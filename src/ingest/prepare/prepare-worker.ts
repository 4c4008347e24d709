import { Piscina } from 'piscina';

import { familyNamed, type FamilyName } from '../../domain/families/index.js';
import { ColumnSpace } from '../columns/column-space.js';
import { prepareUpload, type UploadFacts } from './prepare-upload.js';

/** What travels to a preparing thread; the parts of the file move, they are not copied. */
export interface PrepareTask {
  readonly family: FamilyName;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  readonly facts: UploadFacts;
  /** For the upload's columns. */
  readonly memory: SharedArrayBuffer | undefined;
}

/** Larger files are rare, and their buffers not worth keeping. */
const KEPT_BYTES = 2 * 1024 * 1024;
/** The file of one task after the other: nothing of it is in the verdict. */
let kept = new Uint8Array(0);

/** Runs on a thread of the pool. What columns have of their own moves with the verdict. */
export default function prepare({ family, parts, facts, memory }: PrepareTask): unknown {
  const space = new ColumnSpace(memory);
  const verdict = prepareUpload(familyNamed(family), joined(parts), facts, { space });
  return Piscina.move({
    [Piscina.transferableSymbol]: space.own,
    [Piscina.valueSymbol]: verdict,
  } as unknown as ArrayBuffer);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  if (kept.length < Math.min(size, KEPT_BYTES)) kept = new Uint8Array(KEPT_BYTES);
  const bytes = size <= kept.length ? kept.subarray(0, size) : new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
