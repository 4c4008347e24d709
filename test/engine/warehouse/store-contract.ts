import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { COST, type Family, SELF_SERVE } from '../../../src/domain/families/index.js';
import { v7 as uuidv7 } from 'uuid';
import type { RequestStore } from '../../../src/status/request-store.js';
import { type Status, timestampOf, type Transition } from '../../../src/status/transition.js';
import type { RowStore, UploadToStore } from '../../../src/warehouse/row-store.js';
import { csv, goodRow, verdictOn } from '../../support/files/files.js';

export interface OpenRowStore {
  readonly store: RowStore;
  readonly requests: RequestStore;
  close(): Promise<void>;
}

/**
 * The contract of every row store and its history of requests.
 *
 * @param open opens a new, empty store
 */
export function rowStoreContract(name: string, open: () => Promise<OpenRowStore>): void {
  describe(name, () => {
    let opened: OpenRowStore;
    let store: RowStore;
    let requests: RequestStore;
    beforeAll(async () => {
      opened = await open();
      ({ store, requests } = opened);
    });
    afterAll(() => opened.close());

    test('an empty one knows nothing', async () => {
      expect(await requests.totals(0)).toEqual([]);
      expect(await requests.punctuality([10], [60], NOW)).toEqual([
        { limit: 10, window: 60, uploads: 0, late: 0 },
      ]);
      expect(await requests.highestVersion()).toBe(0n);
      expect(await store.erasures()).toEqual(new Map());
      expect(await requests.statesOf([id()])).toEqual(new Map());
      expect(await requests.statesOf([])).toEqual(new Map());
    });

    describe('uploads', () => {
      test.each([
        ['cost', COST],
        ['self-serve', SELF_SERVE],
      ])('of %s are read back as they were written, all of a batch', async (_, family) => {
        const [first, second, never] = [
          upload(family, account(), 10n, 'a', 'a', 'b'),
          upload(family, account(), 11n, 'a'),
          upload(family, account(), 12n, 'a'),
        ];
        await store.writeBatch(family, [first, second]);
        const rows = await store.readBack(family, [first, second, never]);
        expect([...rows].sort()).toEqual([
          [10n, 3],
          [11n, 1],
        ]);
      });

      test('written again have no more rows', async () => {
        const written = upload(COST, account(), 20n, 'a', 'a', 'b');
        for (let time = 0; time < 3; time++) await store.writeBatch(COST, [written]);
        expect(await store.readBack(COST, [written])).toEqual(new Map([[20n, 3]]));
      });

      test('are there when later ones have replaced every key, and only then', async () => {
        const owner = account();
        const [replaced, half, other] = [
          upload(COST, owner, 30n, 'a', 'a', 'b'),
          upload(COST, owner, 31n, 'b', 'c'),
          upload(COST, account(), 32n, 'a'),
        ];
        await store.writeBatch(COST, [upload(COST, owner, 33n, 'a')]);
        await store.writeBatch(COST, [
          upload(COST, owner, 34n, 'b', 'd'),
          upload(COST, owner, 29n, 'c'),
        ]);
        const rows = await store.readBack(COST, [replaced, half, other]);
        expect(rows).toEqual(new Map([[30n, 3]]));
      });

      test('of one family are none of the other', async () => {
        const written = upload(COST, account(), 40n, 'a');
        await store.writeBatch(COST, [written]);
        const rows = await store.readBack(SELF_SERVE, [
          upload(SELF_SERVE, written.account, 40n, 'a'),
        ]);
        expect(rows).toEqual(new Map());
      });

      test('have memory when they are small', async () => {
        expect(await store.hasMemoryFor({ account: 'acme', keys: 1, bytes: 0 })).toBe(true);
        expect(await store.hasMemoryFor({ account: 'acme', keys: 9_999, bytes: 1e6 })).toBe(true);
      });
    });

    describe('requests', () => {
      test('are in their furthest state, whatever came last', async () => {
        const [done, failed, begun, unknown] = [id(), id(), id(), id()];
        await requests.writeTransitions([
          transition(done, 'succeeded', 3),
          transition(begun, 'uploaded', 0),
          transition(failed, 'failed', 1, '{"date":["größe \\"x\\""]}'),
        ]);
        await requests.writeTransitions([
          transition(done, 'validated', 4),
          transition(failed, 'uploaded', 0),
        ]);
        // A replay writes a state again, at a later time.
        await requests.writeTransitions([transition(done, 'succeeded', 9)]);
        const states = await requests.statesOf([unknown, failed, done, begun]);
        expect(states.get(done)).toMatchObject({
          status: 'succeeded',
          updatedAt: timestampOf(3_000),
        });
        expect(states.get(failed)).toEqual(
          transition(failed, 'failed', 1, '{"date":["größe \\"x\\""]}'),
        );
        expect(states.get(begun)?.status).toBe('uploaded');
        expect(states.size).toBe(3);
      });

      test('are found among a thousand that are asked for', async () => {
        const known = id();
        await requests.writeTransitions([transition(known, 'validated', 1)]);
        const states = await requests.statesOf([...Array.from({ length: 999 }, id), known]);
        expect([...states.keys()]).toEqual([known]);
      });

      test('are counted once each, with their rows', async () => {
        const countOf = async (status: Status, from = 0): Promise<unknown> => {
          const totals = await requests.totals(from);
          const found = totals.find(
            (each) => each.family === 'self-serve' && each.status === status,
          );
          return found && { ...found, family: undefined, status: undefined };
        };
        expect(await countOf('succeeded')).toBeUndefined();
        const rows = { validated: 5, stored: 4, readBack: 3 };
        const [first, second] = [id(), id()];
        for (const requestId of [first, second, first]) {
          const of = {
            family: 'self-serve',
            rows,
            createdAt: timestampOf(requestId === first ? 7_000 : 8_000),
          } as const;
          await requests.writeTransitions([{ ...transition(requestId, 'ingested', 8), ...of }]);
          await requests.writeTransitions([{ ...transition(requestId, 'succeeded', 9), ...of }]);
        }
        expect(await countOf('succeeded')).toEqual({
          requests: 2,
          validated: 10,
          stored: 8,
          readBack: 6,
          oldest: 7,
        });
        expect(await countOf('ingested')).toBeUndefined();
        expect(await countOf('succeeded', 8)).toMatchObject({ requests: 1, oldest: 8 });
        expect(await countOf('succeeded', 9)).toBeUndefined();
      });

      test('are in time or late, by when they ended or were due', async () => {
        const write = async (
          secondsAgo: number,
          status: Status,
          took: number,
          requestId = id(),
        ): Promise<void> => {
          const created = NOW - secondsAgo;
          await requests.writeTransitions([
            {
              ...transition(requestId, status, created + took),
              createdAt: timestampOf(created * 1000),
            },
          ]);
        };
        const replayed = id();
        await write(100, 'succeeded', 9, replayed);
        await write(100, 'validated', 50, replayed);
        await write(100, 'succeeded', 80, replayed);
        // Seconds are whole: it may have taken less than ten.
        await write(100, 'succeeded', 10);
        await write(100, 'failed', 3);
        await write(50, 'ingested', 2);
        await write(5, 'uploaded', 0);
        await write(4_000, 'uploaded', 0);
        // Created before the window, due within it.
        await write(3_603, 'succeeded', 60);
        expect(await requests.punctuality([10, 600], [20, 300, 3_600], NOW)).toEqual([
          { limit: 10, window: 20, uploads: 0, late: 0 },
          { limit: 10, window: 300, uploads: 4, late: 2 },
          { limit: 10, window: 3_600, uploads: 5, late: 3 },
          { limit: 600, window: 20, uploads: 0, late: 0 },
          { limit: 600, window: 300, uploads: 3, late: 0 },
          { limit: 600, window: 3_600, uploads: 5, late: 1 },
        ]);
      });

      test('tell the highest version that any had', async () => {
        const high = { ...transition(id(), 'uploaded', 0), version: String(2n ** 127n + 1n) };
        await requests.writeTransitions([high]);
        await requests.writeTransitions([transition(id(), 'uploaded', 0)]);
        expect(await requests.highestVersion()).toBe(2n ** 127n + 1n);
      });
    });

    test('erasures are known up to their highest version', async () => {
      for (const [of, version] of [
        ['gone', 5n],
        ["o'ther", 2n ** 127n],
        ['gone', 4n],
      ] as const) {
        await store.writeErasure({ account: of, version, at: 1_795_240_000_000 });
      }
      expect(await store.erasures()).toEqual(
        new Map([
          ['gone', 5n],
          ["o'ther", 2n ** 127n],
        ]),
      );
    });
  });
}

let accounts = 0;

function account(): string {
  return `account ${++accounts} größe`;
}

/** Seconds since the epoch, long after the other requests. */
const NOW = 100_000_000;

/** Of an upload that began when the transitions below were made. */
function id(): string {
  return uuidv7({ msecs: 1_000 });
}

/** Makes an upload with one row for each name. A name is a campaign or a metric. */
function upload(
  family: Family,
  of: string,
  version: bigint,
  ...names: readonly string[]
): UploadToStore {
  const column = family.name === 'cost' ? 'campaign' : 'event_category';
  const verdict = verdictOn(
    family.name,
    csv(names.map((name) => goodRow(family.name, { [column]: name }))),
  );
  if (!verdict.valid) throw new Error(verdict.reason);
  return {
    requestId: id(),
    account: of,
    version,
    uploadedAt: 1_750_000_000,
    prepared: verdict.upload,
  };
}

function transition(
  requestId: string,
  status: Status,
  second: number,
  reason: string | null = null,
): Transition {
  return {
    requestId,
    account: 'acme',
    family: 'cost',
    status,
    prevStatus: status === 'uploaded' ? null : 'uploaded',
    reason,
    createdAt: timestampOf(0),
    updatedAt: timestampOf(second * 1000),
    version: '7',
    sentMax: '7',
  };
}
