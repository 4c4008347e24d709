import { expect, test } from '@jest/globals';

import { COST } from '../../../../src/domain/families/index.js';
import { Kernel, withKernel } from '../../../../src/csv/kernel/kernel.js';
import { prepareUpload } from '../../../../src/csv/prepare-upload.js';
import { csv, FACTS, goodRow, keysOf, reasonFor } from '../../../support/files/files.js';

test('a kernel is lent again when its use has ended, and never after an exception', () => {
  const first = withKernel((kernel) => kernel);
  expect(withKernel((kernel) => kernel)).toBe(first);
  expect(() =>
    withKernel(() => {
      throw new Error('in the middle of a file');
    }),
  ).toThrow('in the middle of a file');
  expect(withKernel((kernel) => kernel)).not.toBe(first);
});

test('a kernel that is in use is not lent a second time', () => {
  withKernel((outer) => {
    withKernel((inner) => {
      expect(inner).not.toBe(outer);
    });
  });
});

test('a kernel that has grown large is not kept', () => {
  const large = withKernel((kernel) => {
    kernel.calls.roomForFile(100 * 1024 * 1024);
    return kernel;
  });
  expect(withKernel((kernel) => kernel)).not.toBe(large);
});

test('what one file has left behind does not reach the next one', () => {
  const channels = { ...FACTS, integratedChannels: ['Search'] };
  const file = csv([goodRow('cost', { ad_group: 'x'.repeat(200) }), goodRow('cost')]);
  const wide = csv(Array.from({ length: 2_000 }, (_, i) => goodRow('cost', { campaign: `${i}` })));
  const before = keysOf('cost', csv([goodRow('cost')]));
  for (let round = 0; round < 3; round++) {
    expect(reasonFor('cost', csv([goodRow('cost')]), channels)).toHaveProperty('channel');
    expect(() => prepareUpload(COST, [Buffer.from(file)], FACTS)).not.toThrow();
    expect(keysOf('cost', wide)).toHaveLength(2_000);
    expect(keysOf('cost', csv([goodRow('cost')]))).toEqual(before);
  }
});

test('memory is at hand again after it has grown and moved', () => {
  const kernel = new Kernel();
  const address = kernel.calls.roomForFile(10);
  kernel.view(address, 3).set([1, 2, 3]);
  kernel.calls.roomForFields(1024 * 1024);
  expect([...kernel.view(address, 3)]).toEqual([1, 2, 3]);
});
