import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';

import type { Family, FamilyName } from '../../../src/domain/families/index.js';
import { ApiClient } from '../../support/service/api-client.js';
import { expectHistoryToHave, expectViewsToEqual } from '../../support/model/compare-views.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { tokensFor } from '../../support/service/service-process.js';
import {
  COST,
  csvOf,
  type CsvRow,
  SELF_SERVE,
  WarehouseModel,
} from '../../support/model/warehouse-model.js';

/**
 * Sends random uploads of two accounts to the built service and compares the views with the plain
 * model. Values come from small sets so that keys collide. Amounts are exact in binary, so that
 * sums are exact too.
 */

const RUNS = 20 * Number(process.env['PROPERTY_RUNS'] ?? 1);
/** The maximum number of steps to shrink a failing run. */
const SHRINKS = 60;
const ACCOUNTS = ['ann', 'bob'];

const today = Date.now();
const day = (ago: number): string => new Date(today - ago * 86_400_000).toISOString().slice(0, 10);
const DAYS = [day(0), day(1), day(40)];

const amount = fc.integer({ min: -4_000, max: 40_000 }).map((quarters) => String(quarters / 4));
const count = fc.oneof(fc.constant('0'), fc.nat(999_999_999_999).map(String));
const text = fc.oneof(
  fc.constantFrom('a', 'A', 'größe', '日本', 'with "quotes"', 'comma, inside', 'two\nlines'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .map((s) => `x${s.replaceAll('\0', '')}x`),
);

const costRow = (optional: readonly string[]): fc.Arbitrary<CsvRow> =>
  fc.record({
    date: fc.constantFrom(...DAYS),
    channel: fc.constantFrom('news', 'News', 'radio'),
    currency: fc.constantFrom('EUR', 'USD'),
    campaign: fc.constantFrom('one', 'two', 'drei, "3"'),
    impressions: fc.oneof(fc.constant('0'), fc.nat(1_000).map(String)),
    clicks: fc.oneof({ weight: 1, arbitrary: fc.constant('0') }, { weight: 1, arbitrary: count }),
    cost: fc.oneof(fc.constant('0'), amount),
    ...Object.fromEntries(
      optional.map((name) => [name, name === 'country' ? fc.constantFrom('de', 'us', 'xk') : text]),
    ),
  });

const selfServeRow = (optional: readonly string[]): fc.Arbitrary<CsvRow> => {
  const arbitraries: Record<string, fc.Arbitrary<string>> = {
    country: fc.constantFrom('', 'de', 'us'),
    currency: fc.constantFrom('', 'KRW', 'EUR'),
    event_source: fc.constantFrom('', 'app', 'web', 'tracking_link', 'sms_link'),
    is_first_event_per_device_id: fc.constantFrom('', 'true', 'false'),
    is_first_event_per_user_id: fc.constantFrom('', 'true', 'false'),
  };
  return fc.record({
    date: fc.constantFrom(...DAYS),
    channel: fc.constantFrom('news', 'radio'),
    event_category: fc.constantFrom('Visits', 'visits', 'Orders2'),
    event_value: amount,
    ...Object.fromEntries(
      optional.map((name) => [name, arbitraries[name] ?? fc.oneof(fc.constant(''), text)]),
    ),
  });
};

interface Upload {
  readonly account: string;
  readonly family: Family;
  readonly rows: readonly CsvRow[];
}

interface Sent {
  readonly account: string;
  readonly requestId: string;
  readonly family: FamilyName;
}

function uploadOf(
  family: Family,
  row: (optional: readonly string[]) => fc.Arbitrary<CsvRow>,
): fc.Arbitrary<Upload> {
  const optional = family.columns.filter(({ required }) => !required).map(({ name }) => name);
  return fc.subarray(optional).chain((columns) =>
    fc.record({
      account: fc.constantFrom(...ACCOUNTS),
      family: fc.constant(family),
      rows: fc.array(row(columns), { minLength: 1, maxLength: 12 }),
    }),
  );
}

describeDeployments((kind) => {
  let deployment: Deployment;
  const clients = new Map<string, ApiClient>();
  let runs = 0;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    const numbers = Array.from({ length: RUNS + SHRINKS }, (_, at) => at + 1);
    const accounts = numbers.flatMap((run) => ACCOUNTS.map((name) => `${name}${run}`));
    const tokens = await tokensFor(deployment.dataDir, accounts);
    for (const [at, account] of accounts.entries()) {
      clients.set(account, new ApiClient(() => deployment.service.ports.api, tokens[at]!));
    }
    await deployment.start();
  });
  afterAll(() => deployment.close());

  test(
    'after any uploads, every view shows what the model says',
    async () => {
      const sent = new Map<string, Sent[]>();
      const uploads = fc.array(
        fc.oneof(uploadOf(COST, costRow), uploadOf(SELF_SERVE, selfServeRow)),
        { minLength: 1, maxLength: 8 },
      );
      await fc.assert(
        fc.asyncProperty(uploads, async (batch) => {
          // There are no more accounts: a smaller version that is not tried does not fail.
          if (runs === RUNS + SHRINKS) return;
          // Each run has new accounts, so that a failed run does not disturb its smaller versions.
          const run = ++runs;
          const model = new WarehouseModel();
          const requests: Sent[] = [];
          // Each file is posted after the previous 201, without waiting for its processing.
          for (const { account: name, family, rows } of batch) {
            const account = `${name}${run}`;
            const { requestId } = await clients
              .get(account)!
              .create(family.name, csvOf(family, rows));
            requests.push({ account, requestId, family: family.name });
            model.apply(account, family, rows);
          }
          for (const { account, requestId, family } of requests) {
            const record = await clients.get(account)!.finished(family, requestId);
            expect({ ...record, createdAt: '', updatedAt: '' }).toEqual({
              requestId,
              status: 'succeeded',
              prevStatus: 'ingested',
              reason: null,
              createdAt: '',
              updatedAt: '',
            });
          }
          for (const name of ACCOUNTS) {
            const account = `${name}${run}`;
            await expectViewsToEqual(deployment, model, account);
            sent.set(
              account,
              requests.filter((request) => request.account === account),
            );
          }
        }),
        { numRuns: RUNS },
      );
      for (const [account, requests] of sent) {
        await expectHistoryToHave(deployment, account, requests);
      }
    },
    5 * 60_000,
  );
});
