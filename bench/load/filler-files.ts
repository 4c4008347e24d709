import { gzipSync } from 'node:zlib';

import type { Load } from './cost-files.js';
import { NOTHING } from './totals.js';

/** Self-serve bytes that nobody validates, for measurements of memory. */
export interface FillerSpec {
  readonly family: 'self-serve';
  readonly filler: true;
  readonly bytes: number;
  readonly gzip: boolean;
}

/** One file, to be sent many times. */
export function fillerFile({ bytes, gzip }: FillerSpec): Load {
  const content = Buffer.alloc(bytes, '2026-01-01,channel,event,1.5,campaign\n');
  return { files: [gzip ? gzipSync(content) : content], sent: NOTHING, kept: NOTHING };
}
