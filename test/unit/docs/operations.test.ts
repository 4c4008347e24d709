import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { Environment } from '../../../src/config/environment.js';
import { registry } from '../../../src/ops/metrics.js';
import { code, Page } from '../../support/documents/page.js';
import { V8_OPTIONS } from '../../support/service/service-process.js';

const ROOT = new URL('../../../', import.meta.url);
const SRC = new URL('src/', ROOT);
const page = new Page('operations.md');

test('the page, npm and the image start the service with the options that tests measure', () => {
  const textOf = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
  const words = ['node', ...V8_OPTIONS, '--enable-source-maps', 'dist/main.js'];
  expect(page.text).toContain(`\nUV_THREADPOOL_SIZE=16 ${words.join(' ')} `);
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: { start: string } };
  expect(scripts.start).toMatch(new RegExp(`UV_THREADPOOL_SIZE=16 ${words.join(' ')}$`));
  expect(textOf('deploy/Dockerfile')).toContain(
    `\nCMD ${JSON.stringify(words).replaceAll(',', ', ')}\n`,
  );
});

test('every variable of the environment is there with its default, and no other', () => {
  const listed = page.tableUnder('## Configuration').map(([variable, value]) => ({
    variable: code(variable!),
    value: code(value!),
  }));
  const expected = Object.entries(new Environment()).map(([variable, value]) => ({
    variable,
    // An absent default is an empty cell.
    value: String(value ?? ''),
  }));
  const byName = (a: { variable: string }, b: { variable: string }): number =>
    a.variable < b.variable ? -1 : 1;
  expect(listed.sort(byName)).toEqual(expected.sort(byName));
});

test('every metric is there with its type, labels and meaning, and no other', () => {
  const listed = page
    .tableUnder('## Metrics')
    .map(([name, type, labels, meaning]) => [code(name!), type, labels, meaning]);
  const expected = registry.getMetricsAsArray().map((metric) => {
    const { labelNames } = metric as unknown as { labelNames: readonly string[] };
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return [metric.name, metric.type, labels, metric.help];
  });
  expect(listed.sort()).toEqual(expected.sort());
});

test('every objective is there with its goal, and no other', () => {
  const rules = readFileSync(
    new URL('../deploy/prometheus/rules/recording.yml', SRC),
    'utf8',
  ).matchAll(/error_budget:ratio\n +expr: vector\((\S+)\)\n +labels:\n +objective: (\S+)\n/g);
  const expected = [...rules].map(([, budget, name]) => [name, 100 - 100 * Number(budget)]);
  expect(expected.length).toBeGreaterThan(3);
  const listed = page
    .tableUnder('## Objectives')
    .map(([name, goal]) => [code(name!), Number(/^(\S+) %$/.exec(goal!)![1])]);
  expect(listed).toEqual(expected);
});

test('Prometheus keeps the windows of the objectives, in the compose file and where pages say so', () => {
  const compose = readFileSync(new URL('../docker-compose.yml', SRC), 'utf8');
  const [setting, days] = /--storage\.tsdb\.retention\.time=(\d+)d/.exec(compose)!;
  expect(Number(days)).toBeGreaterThan(30);
  expect(page.text).toContain(`\`${setting}\``);
  expect(new Page('kubernetes.md').text).toContain(`\`retention: ${days!}d\``);
});

test('the log lines and the spans that pages for operators quote are in the source', () => {
  const source = readdirSync(SRC, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, SRC), 'utf8'))
    .join('');
  const quoted = [page, new Page('clickhouse-cluster.md')].flatMap(({ text }) =>
    [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`]+)`/g)]
      .map(([, span]) => span!.replaceAll('\n', ' '))
      // Words, but no command.
      .filter((span) => /^(?!npm |tokens |metrics )[A-Za-z]\w*(?:,? [a-z]+)+$/.test(span)),
  );
  expect(quoted.length).toBeGreaterThan(15);
  expect(quoted.filter((line) => !source.includes(line))).toEqual([]);
});
