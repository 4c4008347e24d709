import { afterEach, expect, it } from '@jest/globals';
import type { Forgetting, LogRecord } from '../../../../src/log/upload-log.js';
import { Collector, LogFolders, readAll, record, texts } from '../../../helpers/log/log-folders.js';

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

const isEven = ({ value }: LogRecord): boolean => Number(value.toString()) % 2 === 0;
const EVEN: Forgetting = { matches: isEven, group: undefined };
const numbers = (count: number) => Array.from({ length: count }, (_, i) => record(`${i}`));

it('takes out what matches as far as every group has committed it, and tells what is left', async () => {
  const log = await folders.open();
  await log.append('uploads', numbers(6));
  const slow = await log.consume('uploads', 'slow', new Collector());
  const fast = await log.consume('uploads', 'fast', new Collector());
  await fast.commit(0, 6);
  await slow.commit(0, 3);
  expect(await log.forget('uploads', EVEN)).toBe(1);
  expect(texts(await readAll(log, 'uploads'))).toEqual(['1', '3', '4', '5']);
  await slow.commit(0, 6);
  expect(await log.forget('uploads', EVEN)).toBe(0);
  expect(texts(await readAll(log, 'uploads'))).toEqual(['1', '3', '5']);
});

it('takes out thousands in every partition, stays so, and gives no offset again', async () => {
  const dir = await folders.folder();
  const partitions = { 'dead-letter': 2 };
  const log = await folders.open({ dir, partitions });
  for (const partition of [0, 1]) {
    await log.append(
      'dead-letter',
      numbers(1_201).map((each) => ({ ...each, partition })),
    );
  }
  expect(await log.forget('dead-letter', EVEN)).toBe(0);
  await log.close();
  const reopened = await folders.open({ dir, partitions });
  for (const partition of [0, 1]) {
    const kept = await readAll(reopened, 'dead-letter', partition);
    expect(kept).toHaveLength(600);
    expect(kept.some(isEven)).toBe(false);
  }
  const [position] = await reopened.append('dead-letter', [record('next', { partition: 0 })]);
  expect(position).toEqual({ partition: 0, offset: 1_201 });
});

it('lets whoever reads go on behind what is gone', async () => {
  const log = await folders.open();
  await log.append('dead-letter', numbers(5));
  await log.forget('dead-letter', {
    matches: ({ offset }) => offset < 3,
    group: undefined,
  });
  const seen: LogRecord[] = [];
  const tail = await log.tail('dead-letter', [1], (records) => seen.push(...records));
  await tail.reached([5], 20_000);
  expect(texts(seen)).toEqual(['3', '4']);
});
