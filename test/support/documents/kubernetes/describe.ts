import { beforeAll, describe } from '@jest/globals';
import { fileURLToPath } from 'node:url';

import { whyNotToBuild } from './build.js';
import { Overlay } from './overlay.js';

export const FOLDER = fileURLToPath(new URL('../../../../deploy/kubernetes/', import.meta.url));

/** The oldest version that is documented to work, and the newest one that has schemas. */
const VERSIONS = ['1.30', '1.34'];
/** The first run downloads the tools. */
const SET_UP_MS = 600_000;

/** Tests of the overlay `production`. Skipped with a message if it cannot be built; fails in CI. */
export function describeOverlay(name: string, tests: (overlay: () => Overlay) => void): void {
  const missing = whyNotToBuild();
  const isSkipped = missing !== undefined && (process.env['CI'] ?? '') === '';
  if (isSkipped) process.stderr.write(`\nSKIPPED: ${name}: ${missing}\n`);
  (isSkipped ? describe.skip : describe)(name, () => {
    let overlay: Overlay;

    beforeAll(() => {
      if (missing !== undefined) throw new Error(missing);
      overlay = new Overlay(`${FOLDER}production`, VERSIONS);
    }, SET_UP_MS);

    tests(() => overlay);
  });
}
