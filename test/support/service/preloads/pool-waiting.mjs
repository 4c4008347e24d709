/**
 * Preload (see `preload.ts`): a thread of Node's pool waits for good for a FIFO without a writer,
 * as it would for a disk that hangs.
 */
import { open } from 'node:fs';

open(process.env.WAITED_FIFO, 'r', () => undefined);
