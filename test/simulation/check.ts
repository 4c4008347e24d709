import { type Family, familyNamed, keyColumns } from '../../src/domain/families/index.js';
import { isFinal } from '../../src/status/transition.js';
import { transitionOf } from '../../src/status/publisher.js';
import type { UploadEnd } from '../../src/log/uploads/upload-records.js';
import { prepareUpload } from '../../src/csv/prepare-upload.js';
import { sorted, WarehouseModel } from '../support/model/warehouse-model.js';
import type { StoredKey } from './warehouse.js';
import type { World } from './world.js';

/** An upload that has an end, so it was accepted. */
interface Ended {
  readonly requestId: string;
  readonly end: UploadEnd;
}

/** The final result of a request, with the reason when it failed. */
type Outcome =
  | { readonly status: 'succeeded'; readonly rows: number }
  | { readonly status: 'failed'; readonly reason: string | RegExp };

const SET_ASIDE = /set aside/;

/** Compares the results of a seed with the plain model. */
export function check(world: World): void {
  const ended = endedUploads(world);
  const outcomes = new Map(ended.map((upload) => [upload.requestId, outcomeOf(world, upload)]));
  checkAnswers(world, new Set(outcomes.keys()));
  checkOrder(world);
  checkRequests(world, outcomes);
  checkTopic(world);
  checkTotals(world, [...outcomes.values()]);
  checkRows(world, ended, outcomes);
}

/** The accepted uploads, in the order of their versions. */
function endedUploads({ broker }: World): Ended[] {
  const ended = new Map<string, Ended>();
  for (const { headers, value } of broker.everything('uploads')) {
    const { type, requestId } = headers;
    if (type !== 'end' || ended.has(requestId!)) continue;
    ended.set(requestId!, {
      requestId: requestId!,
      end: JSON.parse(value.toString()) as UploadEnd,
    });
  }
  return [...ended.values()].sort((a, b) =>
    BigInt(a.end.version) < BigInt(b.end.version) ? -1 : 1,
  );
}

function outcomeOf({ uploads }: World, { requestId, end }: Ended): Outcome {
  const { content } = uploads.get(requestId)!;
  const parts = end.finding === null ? [content.bytes] : [];
  const verdict = prepareUpload(content.family, parts, end);
  if (!verdict.valid) return { status: 'failed', reason: verdict.reason };
  const isSetAside = content.fate !== 'none' && content.fate !== 'stumbles';
  if (isSetAside) return { status: 'failed', reason: SET_ASIDE };
  return { status: 'succeeded', rows: verdict.upload.rows };
}

function checkAnswers(world: World, ended: ReadonlySet<string>): void {
  const byKey = new Map<string, string>();
  for (const { requestId, key } of world.clients.flatMap(({ accepted }) => accepted)) {
    if (!ended.has(requestId)) world.violated(`${requestId} was answered 201 and has no end`);
    if (key === undefined) continue;
    const first = byKey.get(key) ?? requestId;
    if (first !== requestId) world.violated(`${key} is ${first} and ${requestId}`);
    byKey.set(key, first);
  }
  const keyed = new Map<string, string>();
  for (const requestId of ended) {
    const { key } = world.uploads.get(requestId)!;
    if (key === undefined) continue;
    const other = keyed.get(key);
    if (other !== undefined) world.violated(`${key} has made ${other} and ${requestId}`);
    keyed.set(key, requestId);
  }
}

/** An upload that begins after another one was answered 201 must get a higher version. */
function checkOrder(world: World): void {
  const byStart = world.clients
    .flatMap(({ accepted }) => accepted)
    // A repeated upload gets the version of the first one.
    .filter(({ key }) => key === undefined);
  const events = byStart.flatMap((upload) => [
    { at: upload.startedAt, upload, isStart: true },
    { at: upload.answeredAt, upload, isStart: false },
  ]);
  events.sort((a, b) => a.at - b.at || Number(b.isStart) - Number(a.isStart));
  let highest = 0n;
  const before = new Map<string, bigint>();
  for (const { upload, isStart } of events) {
    if (isStart) before.set(upload.requestId, highest);
    else {
      if (upload.version <= before.get(upload.requestId)!) {
        world.violated(`${upload.requestId} is below an upload that was answered before it began`);
      }
      if (upload.version > highest) highest = upload.version;
    }
  }
}

function checkRequests(world: World, outcomes: ReadonlyMap<string, Outcome>): void {
  const requests = world.warehouse.requests;
  for (const [requestId, outcome] of outcomes) {
    const request = requests.get(requestId);
    const wanted = outcome.status === 'failed' ? outcome.reason : null;
    const isAsWanted =
      request?.status === outcome.status &&
      (wanted instanceof RegExp ? wanted.test(request.reason ?? '') : request.reason === wanted);
    if (isAsWanted) continue;
    const is = request === undefined ? 'nowhere' : `${request.status} ${request.reason ?? ''}`;
    world.violated(`${requestId} is ${is}, not ${outcome.status} ${String(wanted ?? '')}`);
  }
  for (const requestId of requests.keys()) {
    if (!outcomes.has(requestId)) world.violated(`${requestId} is known and has no end`);
  }
}

/** A request never leaves a final state. */
function checkTopic(world: World): void {
  const finals = new Map<string, string>();
  for (const { value } of world.broker.everything('status')) {
    const { requestId, status } = transitionOf(value);
    if (!isFinal(status)) continue;
    const before = finals.get(requestId) ?? status;
    if (before !== status) world.violated(`${requestId} was told to be ${before} and ${status}`);
    finals.set(requestId, status);
  }
}

function checkTotals(world: World, outcomes: readonly Outcome[]): void {
  const totals = world.warehouse.totals();
  const requests = totals.reduce((sum, each) => sum + each.requests, 0);
  if (requests !== outcomes.length) {
    world.violated(`${outcomes.length} requests are counted as ${requests}`);
  }
  const rows = outcomes.reduce(
    (sum, each) => sum + (each.status === 'succeeded' ? each.rows : 0),
    0,
  );
  for (const step of ['validated', 'stored', 'readBack'] as const) {
    const counted = totals.reduce((sum, each) => sum + each[step], 0);
    if (counted !== rows) world.violated(`${rows} rows are counted as ${counted} ${step}`);
  }
}

function checkRows(
  world: World,
  ended: readonly Ended[],
  outcomes: ReadonlyMap<string, Outcome>,
): void {
  const model = new WarehouseModel();
  const accounts = new Set<string>();
  for (const { requestId } of ended) {
    const { account, content } = world.uploads.get(requestId)!;
    accounts.add(account);
    if (outcomes.get(requestId)!.status === 'succeeded')
      model.apply(account, content.family, content.rows);
  }
  for (const account of accounts) {
    compare(
      world,
      `cost of ${account}`,
      rowsOf(world, familyNamed('cost'), account, 'rows'),
      model.costRows(account),
    );
    compare(
      world,
      `self-serve of ${account}`,
      rowsOf(world, familyNamed('self-serve'), account, 'rows'),
      model.selfServeRows(account),
    );
    compare(
      world,
      `cost report of ${account}`,
      rowsOf(world, familyNamed('cost'), account, 'combinations'),
      model.costReport(account),
    );
    compare(
      world,
      `self-serve report of ${account}`,
      rowsOf(world, familyNamed('self-serve'), account, 'combinations'),
      model.selfServeReport(account),
    );
    compare(world, `summary of ${account}`, totalsOf(world, account), model.costSummary(account));
  }
}

type Row = Record<string, string | number | boolean | null>;

/** @param which CSV rows, or what reports show */
function rowsOf(
  { warehouse }: World,
  family: Family,
  account: string,
  which: 'rows' | 'combinations',
): Row[] {
  return sorted(
    warehouse
      .current(family, account)
      .flatMap((stored) =>
        stored[which].map((row) => ({ ...keyOf(family, stored), ...plain(row) })),
      ),
  );
}

function totalsOf({ warehouse }: World, account: string): Row[] {
  const family = familyNamed('cost');
  return sorted(
    warehouse
      .current(family, account)
      .flatMap((stored) =>
        stored.totals.map((total) => ({ ...keyOf(family, stored), ...plain({ ...total }) })),
      ),
  );
}

function keyOf(family: Family, { account, key }: StoredKey): Row {
  const names = keyColumns(family).map(({ name }) => name);
  return { account, ...Object.fromEntries(names.map((name, i) => [name, key[i]!])) };
}

function plain(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? Number(value) : value,
    ]),
  ) as Row;
}

function compare(world: World, what: string, found: readonly Row[], wanted: readonly Row[]): void {
  const [a, b] = [
    found.map((row) => JSON.stringify(row)),
    wanted.map((row) => JSON.stringify(row)),
  ];
  if (a.length === b.length && a.every((row, i) => row === b[i])) return;
  const odd =
    a.find((row) => !b.includes(row)) ?? b.find((row) => !a.includes(row)) ?? 'a number of rows';
  world.violated(`${what} is not as the model says: ${odd.slice(0, 300)}`);
}
