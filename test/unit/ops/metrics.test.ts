import { expect, test } from '@jest/globals';
import { httpDuration, logErrors, logRefusals } from '../../../src/ops/metrics.js';

test('reads are counted from 0 on, so that Prometheus sees the first ones', async () => {
  const { name, values } = await httpDuration.get();
  for (const family of ['cost', 'self-serve']) {
    const labels = { operation: 'read', family, code: '200' };
    const count = { metricName: `${name}_count`, labels, value: 0 };
    expect(values).toContainEqual(expect.objectContaining(count));
    const bucket = { metricName: `${name}_bucket`, labels: { ...labels, le: 0.25 }, value: 0 };
    expect(values).toContainEqual(expect.objectContaining(bucket));
  }
});

test('errors and refusals of the log are counted from 0 on, at every operation', async () => {
  for (const [counter, operations] of [
    [logErrors, ['append', 'commit', 'consume', 'poll', 'retention', 'tail']],
    [logRefusals, ['append', 'consume', 'read', 'tail']],
  ] as const) {
    const { values } = await counter.get();
    expect(values.map(({ labels }) => labels.operation).sort()).toEqual(operations);
    expect(values.map(({ value }) => value)).toEqual(operations.map(() => 0));
  }
});
