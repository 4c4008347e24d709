/**
 * Preloaded into a process (see `preload.ts`), lets a thread of Node's pool wait for good for a FIFO
 * that nobody writes to, as for a disk that hangs.
 */
import { open } from 'node:fs';

open(process.env.WAITED_FIFO, 'r', () => undefined);
