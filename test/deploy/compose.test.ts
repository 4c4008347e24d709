import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('Prometheus asks every process of the compose file', async () => {
  const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8');
  const prometheus = await readFile(join(ROOT, 'deploy/prometheus/prometheus.yml'), 'utf8');
  const processes = [...compose.matchAll(/^ {2}((?:gateway|ingest|status)[\w-]*):\n {4}<<:/gm)];
  expect(processes.length).toBe(5);
  for (const [, name] of processes) expect(prometheus).toContain(`${name!}:9464`);
});
