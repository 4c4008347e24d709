import { gzipSync } from 'node:zlib';

import { mix } from './random.js';
import type { Load } from './cost-files.js';
import { NOTHING } from './totals.js';

/** Describes self-serve files. Only their dates, which must be recent, differ between machines. */
export interface SelfServeSpec {
  readonly family: 'self-serve';
  readonly files: number;
  readonly rows: number;
  readonly gzip: boolean;
  readonly seed: number;
  /** Each row has a metric of its own. Otherwise 300 have a value for every day and channel. */
  readonly hasMetricPerRow?: true;
}

const HEADER = 'date,channel,event_category,event_value,campaign,event_source,os_name,country';
const DAYS = 90;
const METRICS = 300;
const SOURCES = ['app', 'web', 'tracking_link', 'sms_link'];
const SYSTEMS = ['Android', 'iOS'];

/** Every row has its own key. `clicks` of the totals holds the sum of the integer values. */
export function selfServeFiles(spec: SelfServeSpec): Load {
  const { files, rows, gzip, seed, hasMetricPerRow } = spec;
  const days = Array.from({ length: DAYS }, (_, day) =>
    new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10),
  );
  let values = 0;
  const contents = Array.from({ length: files }, (_, file) => {
    const lines = [HEADER];
    for (let row = 0; row < rows; row++) {
      const id = file * rows + row;
      const metric = hasMetricPerRow ? id : Math.floor(id / DAYS) % METRICS;
      const value = mix(seed, id) % 10_000;
      values += value;
      lines.push(
        [
          days[id % DAYS],
          `channel ${Math.floor(id / DAYS / METRICS)}`,
          `metric${seed}n${metric}`,
          value,
          `"Kampagne für ""${id % 50}"""`,
          SOURCES[id % SOURCES.length],
          SYSTEMS[id % SYSTEMS.length],
          'de',
        ].join(','),
      );
    }
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    return gzip ? gzipSync(bytes) : bytes;
  });
  const totals = { ...NOTHING, rows: files * rows, clicks: values };
  return { files: contents, sent: totals, kept: totals };
}
