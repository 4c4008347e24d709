import { expect, test } from '@jest/globals';

import { Environment } from '../../../src/config/environment.js';
import { registry } from '../../../src/ops/metrics.js';
import { code, Page } from '../../support/documents/page.js';

const page = new Page('operations.md');

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
