import { expect, test } from '@jest/globals';

import { SELF_SERVE } from '../../../../src/domain/families/index.js';
import { valuesOf } from '../../../../src/preview/warnings/file-values.js';
import { csv, goodRow } from '../../../support/files/files.js';

test('values are read that agree with those of the row before, or nearly', () => {
  const channels = ['ab', 'ab', 'bb', 'b', 'ab', 'a"b', 'a"b', '\ufeffab', 'Größe', 'GröÃe', 'ab'];
  // More rows than are scanned at a time.
  const all = Array.from({ length: 1_100 }, (_, at) => channels[at % channels.length]!);
  const rows = all.map((channel, at) => {
    return goodRow('self-serve', { channel, os_name: at % 3 === 0 ? '' : 'iOS' });
  });
  const { spelled } = valuesOf(SELF_SERVE, [Buffer.from(csv(rows))]);
  const found = [...spelled.channel].map(([channel, { first, count }]) => [channel, first, count]);
  const expected = [...new Set(channels)].map((channel) => {
    const own = [...all.keys()].filter((at) => all[at] === channel).map((at) => at + 2);
    return [channel, own.slice(0, 20), own.length];
  });
  expect(found).toEqual(expected);
  expect(spelled.os_name.get('iOS')!.count).toBe(733);
});
