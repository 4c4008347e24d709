/** Parsing, validating, grouping and encoding on one thread, and a parser alone on the same bytes. */
import { inferSchema, initParser } from 'udsv';

import { COST } from '../../src/domain/families/index.js';
import { prepareUpload } from '../../src/csv/prepare-upload.js';
import type { CostSpec } from '../load/cost-files.js';
import { loadOf } from '../load/load.js';
import { obey } from '../process/commands.js';

const FACTS = { finding: null, requestDay: 20_000, integratedChannels: ['elsewhere'] };

export interface Prepared {
  readonly rowsPerSecond: number;
  readonly rows: number;
  readonly keys: number;
}

const commands = {
  prepareUploads(spec: CostSpec): Prepared {
    const { files } = loadOf(spec);
    let rows = 0;
    let keys = 0;
    const from = performance.now();
    for (const file of files) {
      const verdict = prepareUpload(COST, [file], FACTS);
      if (!verdict.valid) throw new Error(verdict.reason);
      rows += verdict.upload.rows;
      keys += verdict.upload.keys;
    }
    return { rowsPerSecond: (rows / (performance.now() - from)) * 1000, rows, keys };
  },

  parseWithUdsv(spec: CostSpec): number {
    // uDSV takes strings. Converting the bytes is not part of its time.
    const texts = loadOf(spec).files.map((file) => file.toString());
    let rows = 0;
    const from = performance.now();
    for (const text of texts) rows += initParser(inferSchema(text)).stringArrs(text).length;
    const rowsPerSecond = (rows / (performance.now() - from)) * 1000;
    if (rows !== spec.files * spec.rows) throw new Error(`uDSV found ${rows} rows`);
    return rowsPerSecond;
  },
};

export type OneCoreCommands = typeof commands;

obey(commands);
