import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Before the heap is measured: what is garbage by now is not counted. */
export const collectGarbage = runInNewContext('gc') as () => void;
