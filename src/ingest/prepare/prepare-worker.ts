import { Piscina } from 'piscina';

import { familyNamed, type FamilyName } from '../../domain/families/index.js';
import { Arena } from '../../domain/memory.js';
import { prepareUpload, type UploadFacts } from '../../csv/prepare-upload.js';

/** What a preparing thread is sent; the parts of the file move, they are not copied. */
export interface PrepareTask {
  readonly family: FamilyName;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  readonly facts: UploadFacts;
  /** For the upload's columns. */
  readonly memory: SharedArrayBuffer | undefined;
}

/** Runs on a thread of the pool. Columns with memory of their own move with the verdict. */
export default function prepare({ family, parts, facts, memory }: PrepareTask): unknown {
  const arena = new Arena(memory);
  const verdict = prepareUpload(familyNamed(family), parts, facts, { arena });
  return Piscina.move({
    [Piscina.transferableSymbol]: arena.own,
    [Piscina.valueSymbol]: verdict,
  } as unknown as ArrayBuffer);
}
