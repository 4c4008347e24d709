import { expect, test } from '@jest/globals';

import type { Verdict } from '../../../../src/csv/verdict.js';
import { Preparation } from '../../../../src/ingest/prepare/preparation.js';
import type { PrepareWork } from '../../../../src/ingest/prepare/prepare-pool.js';
import type { UploadInFlight } from '../../../../src/ingest/upload-in-flight.js';

const VALID = { valid: true, upload: { rows: 1 } } as Verdict;
const THREADS = 2;

/** Returns a file with the name as its content, so that a task shows which upload it has. */
const bytesOf = (name: string): Uint8Array<ArrayBuffer>[] => [new TextEncoder().encode(name)];
const nameOf = ({ parts }: PrepareWork): string => Buffer.concat(parts).toString();

function flight(requestId: string): UploadInFlight {
  const upload = { requestId, account: 'acme', family: 'cost', parts: bytesOf(requestId), end: {} };
  return upload as unknown as UploadInFlight;
}

/**
 * Prepares uploads with these names. `prepare` takes the place of a thread.
 *
 * @returns the outcome of each upload
 */
async function preparing(
  names: readonly string[],
  prepare: (name: string, beside: readonly string[]) => Promise<Verdict>,
  signal = new AbortController().signal,
): Promise<string[]> {
  const inside: string[] = [];
  const preparation = new Preparation(
    {
      threads: THREADS,
      async run(task) {
        const name = nameOf(task);
        const beside = [...inside];
        inside.push(name);
        // Detaches the buffers, as a transfer to a thread does.
        structuredClone(task.parts, { transfer: task.parts.map(({ buffer }) => buffer) });
        try {
          return await prepare(name, beside);
        } finally {
          inside.splice(inside.indexOf(name), 1);
        }
      },
    },
    ({ requestId }) => Promise.resolve(bytesOf(requestId)),
    signal,
  );
  const told = await Promise.all(
    names.map((name) =>
      preparation.prepare(flight(name)).then(
        (verdict) => {
          if (verdict.valid) return `${name} valid`;
          return `${name} ${verdict.error === undefined ? 'failed' : verdict.error.message}`;
        },
        (error: unknown) => `broken: ${(error as Error).message}`,
      ),
    ),
  );
  expect(preparation.isIdle).toBe(true);
  return told;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an upload that throws is prepared once more, alone, and then set aside', async () => {
  const tries: { name: string; beside: readonly string[] }[] = [];
  const told = await preparing(['a', 'bad', 'b', 'c', 'd', 'e', 'f'], async (name, beside) => {
    tries.push({ name, beside });
    await turn();
    if (name === 'bad') throw new Error('trap');
    return VALID;
  });
  expect(told.sort()).toEqual(
    ['a', 'b', 'bad', 'c', 'd', 'e', 'f'].map((n) => `${n} ${n === 'bad' ? 'trap' : 'valid'}`),
  );
  const second = tries.findLastIndex(({ name }) => name === 'bad');
  expect(tries.filter(({ name }) => name === 'bad')).toHaveLength(2);
  expect(tries[second]!.beside).toEqual([]);
  const later = tries.slice(second + 1);
  expect(later).toContainEqual(expect.objectContaining({ name: 'f' }));
  expect(later.flatMap(({ beside }) => beside)).not.toContain('bad');
});

test('what goes with the thread of another one is prepared again, from the log', async () => {
  let deaths = 0;
  const waiting: (() => void)[] = [];
  const told = await preparing(['killer', 'victim', 'later'], async (name) => {
    if (deaths > 0 && name !== 'killer') return VALID;
    // All tasks of the thread are rejected together.
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (name !== 'killer') return;
      setImmediate(() => {
        for (const end of waiting.splice(0)) end();
      });
    });
    deaths++;
    throw new Error('the thread died');
  });
  expect(told.sort()).toEqual(['killer the thread died', 'later valid', 'victim valid']);
});

test('an exception that passes is none of the upload', async () => {
  let tries = 0;
  const told = await preparing(['a'], () =>
    ++tries === 1 ? Promise.reject(new Error('no memory')) : Promise.resolve(VALID),
  );
  expect(told).toEqual(['a valid']);
});

test('when nothing can be prepared no upload is blamed', async () => {
  const told = await preparing(['a', 'b'], () => Promise.reject(new Error('no kernel')));
  expect(told).toEqual(['broken: no kernel', 'broken: no kernel']);
});

test('in a stop nothing is blamed and nothing is tried again', async () => {
  let tries = 0;
  const told = await preparing(
    ['a'],
    () => {
      tries++;
      return Promise.reject(new Error('terminated'));
    },
    AbortSignal.abort(),
  );
  expect(told).toEqual(['broken: terminated']);
  expect(tries).toBe(1);
});

test('an upload is judged by the day and the channels of its request, whenever that is', async () => {
  const end = { finding: null, requestDay: 20_000, integratedChannels: ['google'] };
  const judged: unknown[] = [];
  const preparation = new Preparation(
    {
      threads: 1,
      run({ facts }) {
        judged.push(facts);
        return judged.length === 1 ? Promise.reject(new Error('once')) : Promise.resolve(VALID);
      },
    },
    ({ requestId }) => Promise.resolve(bytesOf(requestId)),
    new AbortController().signal,
  );
  await preparation.prepare(Object.assign(flight('late'), { end: { ...end, version: '1' } }));
  expect(judged).toEqual([end, end]);
});
