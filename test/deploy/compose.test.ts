import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

import { Page } from '../support/documents/page.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

test('Prometheus asks every process of the compose file', async () => {
  const compose = await read('docker-compose.yml');
  const prometheus = await read('deploy/prometheus/prometheus.yml');
  const processes = [...compose.matchAll(/^ {2}((?:gateway|ingest|status)[\w-]*):\n {4}<<:/gm)];
  expect(processes.length).toBe(5);
  for (const [, name] of processes) expect(prometheus).toContain(`${name!}:9464`);
});

test('Prometheus of the compose file keeps the days that error budgets need', async () => {
  const compose = await read('docker-compose.yml');
  const flag = /--storage\.tsdb\.retention\.time=\d+d/.exec(compose)![0];
  expect(new Page('operations.md').text).toContain(`\`${flag}\``);
});

test('Kafka of the compose file is the version that the tests run', async () => {
  const [, tested] = /<artifactId>kafka_2\.13<\/artifactId><version>([\d.]+)</.exec(
    await read('test/support/kafka/pom.xml'),
  )!;
  expect(await read('docker-compose.yml')).toContain(`image: apache/kafka:${tested!}\n`);
  expect(await read('docs/operations.md')).toMatch(new RegExp(`^\\| Kafka +\\| ${tested!} `, 'm'));
});

test('ClickHouse of the compose file is the version that reports are measured with', async () => {
  const requirements = await read('bench/reports/requirements.txt');
  const [, measured] = /^chdb-core==(\d+\.\d+)\./m.exec(requirements)!;
  const compose = await read('docker-compose.yml');
  expect(compose).toContain(`image: clickhouse/clickhouse-server:${measured!}\n`);
  expect(rowOf('ClickHouse')[1]).toContain(`reports also on ${measured!}`);
});

test.each([
  ['ClickHouse', 'clickhouse/clickhouse-server'],
  ['Prometheus', 'prom/prometheus'],
  ['Alertmanager', 'prom/alertmanager'],
  ['Grafana', 'grafana/grafana'],
])('the operations page says which %s the compose file names', async (name, image) => {
  const compose = await read('docker-compose.yml');
  const [, version] = new RegExp(`image: ${image}:v?(\\S+)\n`).exec(compose)!;
  expect(rowOf(name)[2]).toMatch(new RegExp(`^the compose file names ${version!}[ ,]`));
});

test('the operations page says which data source of Grafana the tests and the compose file have', async () => {
  const [, version] = /grafana-clickhouse-datasource@(\S+)/.exec(await read('docker-compose.yml'))!;
  const asked = await read('test/process/query/clients-grafana.test.ts');
  expect(asked).toContain(`clickhouse-datasource ${version!}`);
  expect(rowOf('Grafana')[1]).toContain(`data source ${version!}`);
});

/** The cells of a row of the operations page about versions. */
function rowOf(name: string): string[] {
  const rows = new Page('operations.md').tableUnder('## Versions and platforms');
  return rows.find(([what]) => what === name)!;
}
