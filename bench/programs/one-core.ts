/** Parsing, validating, grouping and encoding on one thread, and a parser alone on the same bytes. */
import { inferSchema, initParser } from 'udsv';

import { COST } from '../../src/domain/families/index.js';
import { prepareUpload } from '../../src/csv/prepare-upload.js';
import type { CostSpec } from '../load/cost-files.js';
import { loadOf } from '../load/load.js';
import { obey } from '../process/commands.js';

const FACTS = { finding: null, requestDay: 20_000, integratedChannels: ['elsewhere'] };

export interface OneCoreOrder {
  readonly load: CostSpec;
  /** All files are taken again and again until so much time has passed. */
  readonly seconds: number;
}

/** Rows and keys are those of the files taken once. */
export interface Prepared {
  readonly rowsPerSecond: number;
  readonly rows: number;
  readonly keys: number;
}

const commands = {
  prepareUploads({ load, seconds }: OneCoreOrder): Prepared {
    const { files } = loadOf(load);
    let keys = 0;
    const { rows, rowsPerSecond } = again(seconds, () => {
      keys = 0;
      let taken = 0;
      for (const file of files) {
        const verdict = prepareUpload(COST, [file], FACTS);
        if (!verdict.valid) throw new Error(verdict.reason);
        taken += verdict.upload.rows;
        keys += verdict.upload.keys;
      }
      return taken;
    });
    return { rowsPerSecond, rows, keys };
  },

  parseWithUdsv({ load, seconds }: OneCoreOrder): number {
    // uDSV takes strings. Converting the bytes is not part of its time.
    const texts = loadOf(load).files.map((file) => file.toString());
    const { rows, rowsPerSecond } = again(seconds, () => {
      let found = 0;
      for (const text of texts) found += initParser(inferSchema(text)).stringArrs(text).length;
      return found;
    });
    if (rows !== load.files * load.rows) throw new Error(`uDSV found ${rows} rows`);
    return rowsPerSecond;
  },
};

export type OneCoreCommands = typeof commands;

/** @param take takes all files and returns their rows */
function again(
  seconds: number,
  take: () => number,
): { readonly rows: number; readonly rowsPerSecond: number } {
  const from = performance.now();
  for (let times = 1; ; times++) {
    const rows = take();
    const took = (performance.now() - from) / 1000;
    if (took >= seconds) return { rows, rowsPerSecond: (rows * times) / took };
  }
}

obey(commands);
