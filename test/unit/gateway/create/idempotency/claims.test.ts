import { beforeEach, expect, test } from '@jest/globals';

import type { GatewayConfig } from '../../../../../src/gateway/dependencies.js';
import { CLAIM_MS } from '../../../../../src/gateway/create/idempotency/claim-view.js';
import { type Claim, claimOf } from '../../../../../src/gateway/create/idempotency/claim.js';
import { Claims } from '../../../../../src/gateway/create/idempotency/claims.js';
import { TimedLog } from '../../../../../src/gateway/create/timed-log.js';
import { MemoryLog } from '../../../../support/gateway/memory-log.js';

const SETTLES_MS = 30_000;
const START = Date.now();
const config = { limits: { logTimeoutMs: 1_000 } } as GatewayConfig;

const claim = (requestId: string, supersedes?: string): Claim => ({
  key: 'k',
  requestId,
  digest: 'd',
  partition: 0,
  from: 0,
  settlesMs: SETTLES_MS,
  ...(supersedes !== undefined && { supersedes }),
});

let log: MemoryLog;
let claims: Claims;
beforeEach(() => {
  log = new MemoryLog();
  log.now = () => START;
  claims = newClaims();
});

function newClaims(): Claims {
  return new Claims(log, new TimedLog(log, config), config);
}

/** The claims in the log, each as its request and the one that it came behind. */
const made = (): unknown[] =>
  log.records('claims').map((record) => {
    const { requestId, behind } = claimOf(record);
    return [requestId, behind];
  });

test('a claim says behind which one it was made, unless it supersedes that one', async () => {
  await claims.make(claim('a'));
  log.now = () => START + SETTLES_MS;
  const behind = await claims.make(claim('b'));
  expect(behind).toMatchObject({ standing: { requestId: 'a' }, ageMs: SETTLES_MS });
  const instead = await claims.make(claim('b', 'a'));
  expect(instead).toMatchObject({ standing: { requestId: 'b' }, ageMs: 0 });
  const tooLate = await claims.make(claim('c', 'a'));
  expect(tooLate.standing.requestId).toBe('b');
  expect(made()).toEqual([
    ['a', undefined],
    ['b', 'a'],
    ['b', undefined],
    ['c', 'b'],
  ]);
});

test('a claim is made again when the one before it turns out to be too old', async () => {
  await claims.make(claim('a'));
  log.now = () => START + CLAIM_MS;
  const { standing, ageMs } = await claims.make(claim('b'));
  expect([standing.requestId, standing.behind, ageMs]).toEqual(['b', undefined, 0]);
  expect(made()).toEqual([
    ['a', undefined],
    ['b', 'a'],
    ['b', undefined],
  ]);
  // It holds the key for everybody.
  expect((await claims.make(claim('c'))).standing.requestId).toBe('b');
  expect((await newClaims().make(claim('d'))).standing.requestId).toBe('b');
});

test('a gateway that begins to read makes no claim before it has read the earlier ones', async () => {
  await claims.make(claim('a'));
  log.tail = (topic, _from, onRecords) => {
    let handedOver = 0;
    return Promise.resolve({
      failed: new Promise<never>(() => undefined),
      reached: ([end = 0]) => {
        onRecords(log.records(topic).slice(handedOver, end));
        handedOver = Math.max(handedOver, end);
        return Promise.resolve();
      },
      stop: () => Promise.resolve(),
    });
  };
  expect((await newClaims().make(claim('b'))).standing.requestId).toBe('a');
  expect(made()).toEqual([
    ['a', undefined],
    ['b', 'a'],
  ]);
});
