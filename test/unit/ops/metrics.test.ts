import { expect, test } from '@jest/globals';
import { httpDuration } from '../../../src/ops/metrics.js';

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
