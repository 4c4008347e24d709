import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

test('Prometheus asks every process of the compose file', async () => {
  const compose = await read('docker-compose.yml');
  const prometheus = await read('deploy/prometheus/prometheus.yml');
  const processes = [...compose.matchAll(/^ {2}((?:gateway|ingest|status)[\w-]*):\n {4}<<:/gm)];
  expect(processes.length).toBe(5);
  for (const [, name] of processes) expect(prometheus).toContain(`${name!}:9464`);
});

test('Kafka of the compose file is the version that the tests run', async () => {
  const [, tested] = /<artifactId>kafka_2\.13<\/artifactId><version>([\d.]+)</.exec(
    await read('test/support/kafka/pom.xml'),
  )!;
  expect(await read('docker-compose.yml')).toContain(`image: apache/kafka:${tested!}\n`);
  expect(await read('docs/operations.md')).toMatch(new RegExp(`^\\| Kafka +\\| ${tested!} `, 'm'));
});
