import { Piscina } from 'piscina';

import { familyNamed, type FamilyName } from '../../domain/families/index.js';
import type { Verdict } from '../encode/prepared-upload.js';
import { prepareUpload, type UploadFacts } from './prepare-upload.js';

/** What travels to a preparing thread; `bytes` moves, it is not copied. */
export interface PrepareTask {
  readonly family: FamilyName;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly facts: UploadFacts;
}

/** Runs on a thread of the pool. The verdict's buffers move back. */
export default function prepare(task: PrepareTask): unknown {
  const verdict = prepareUpload(familyNamed(task.family), task.bytes, task.facts);
  return Piscina.move({
    [Piscina.transferableSymbol]: buffersOf(verdict),
    [Piscina.valueSymbol]: verdict,
  } as unknown as ArrayBuffer);
}

function buffersOf(verdict: Verdict): ArrayBuffer[] {
  if (!verdict.valid) return [];
  const { keyColumns, rowCounts, rowColumns, totalCounts, totalColumns } = verdict.upload;
  return [...keyColumns, rowCounts, ...rowColumns, totalCounts, ...totalColumns].map(
    ({ buffer }) => buffer,
  );
}
