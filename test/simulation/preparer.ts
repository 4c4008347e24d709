import { familyNamed } from '../../src/domain/families/index.js';
import type { Verdict } from '../../src/csv/verdict.js';
import type { Preparer, PrepareWork } from '../../src/ingest/prepare/prepare-pool.js';
import { prepareUpload } from '../../src/csv/prepare-upload.js';
import { MARKS } from './content.js';
import type { Network } from './network.js';
import type { Actor } from './time.js';

const LONGEST_MS = 30;

/** Prepares uploads with the threads' function. Some files make it throw, or end the process. */
export class SimulatedPreparer implements Preparer {
  readonly threads = 2;
  private hasStumbled = false;

  constructor(
    private readonly network: Network,
    private readonly actor: Actor,
  ) {}

  run({ family, parts, facts }: PrepareWork): Promise<Verdict> {
    const { time, random, trace, fault, kill } = this.network;
    return new Promise((resolve, reject) => {
      time.after(this.actor, random.between(0, LONGEST_MS), () => {
        const has = (mark: string): boolean => parts.some((part) => viewOf(part).includes(mark));
        if (has(MARKS.kills)) {
          kill(this.actor, MARKS.kills);
          return;
        }
        if (has(MARKS.throws) || (has(MARKS.stumbles) && !this.hasStumbled)) {
          this.hasStumbled ||= has(MARKS.stumbles);
          fault('exception while preparing');
          trace(this.actor, MARKS.throws);
          reject(new Error(MARKS.throws));
          return;
        }
        resolve(prepareUpload(familyNamed(family), parts, facts));
      });
    });
  }

  release(): void {
    // The columns have their own memory.
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
