import { Piscina } from 'piscina';

import { Arena } from '../domain/memory.js';
import { checkFile, type FileToCheck } from './check-file.js';

/** Runs on the thread of previews. The blocks move with the answer. */
export default function check(file: FileToCheck): unknown {
  const arena = new Arena();
  const checked = checkFile(file, arena);
  return Piscina.move({
    [Piscina.transferableSymbol]: arena.own,
    [Piscina.valueSymbol]: checked,
  } as unknown as ArrayBuffer);
}
