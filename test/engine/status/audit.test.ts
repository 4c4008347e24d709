import { CONSUMER_GROUPS } from '../../../src/log/upload-log.js';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';

import {
  auditEventOfRequest,
  auditRecord,
  writeAudit,
  startAuditor,
} from '../../../src/status/audit.js';
import { advance, uploaded } from '../../../src/status/transition.js';
import { erasureRecord } from '../../../src/operator/erasure/account-erasure.js';
import { openTestWarehouse, type TestWarehouse } from '../../support/chdb/warehouse.js';
import { LogFolders } from '../../support/log/log-folders.js';

const folders = new LogFolders();
let opened: TestWarehouse;
beforeAll(async () => {
  opened = await openTestWarehouse();
});
afterEach(() => folders.cleanUp());
afterAll(() => opened.close());

const AT = 1_795_240_000_123;
const rows = (): Promise<unknown[]> =>
  opened.warehouse.query(
    `SELECT toString(at) AS at, actor, action, account, subject
     FROM ${opened.database}.audit_events FINAL ORDER BY at, action`,
  );

test('operators’ actions are kept, each once, however often they are read', async () => {
  const log = await folders.open();
  const control = (order: object) => ({
    key: 'x',
    headers: { type: 'metric-archival' },
    value: Buffer.from(JSON.stringify(order)),
  });
  const at = new Date(AT).toISOString();
  await log.append('control', [
    auditRecord({
      at: AT,
      actor: 'operator:me',
      action: 'create-token',
      account: 'acme',
      subject: 't1',
    }),
    control({
      action: 'archive-metric',
      account: 'acme',
      name: 'Visits',
      actor: 'operator:me',
      at,
    }),
    control({
      action: 'restore-metric',
      account: 'acme',
      name: 'Visits',
      actor: 'operator:me',
      at,
    }),
    erasureRecord({ account: 'acme', version: 5n, actor: 'operator:me', at: AT }),
    { key: 'x', headers: { type: 'of a newer program' }, value: Buffer.from('?') },
  ]);
  const expected = [
    ['operator:me', 'archive-metric', 'Visits'],
    ['operator:me', 'create-token', 't1'],
    ['operator:me', 'erase-account', 'acme'],
    ['operator:me', 'restore-metric', 'Visits'],
  ].map(([actor, action, subject]) => ({
    at: '2026-11-21 05:46:40.123',
    actor,
    action,
    account: 'acme',
    subject,
  }));
  for (let reading = 0; reading < 2; reading++) {
    const auditor = await startAuditor(log, opened.warehouse, pino({ level: 'silent' }));
    while ((await log.committedOffsets('control', CONSUMER_GROUPS.audit.group))[0] !== 5) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await auditor.stop();
    await log.rewind('control', CONSUMER_GROUPS.audit.group, [0]);
    expect(await rows()).toEqual(expected);
  }
});

test('of a request the transition after the first tells who made it', async () => {
  const upload = {
    requestId: '01a1fbf8-9e4c-73df-bf3b-19f8b218fcba',
    account: 'other',
    family: 'cost',
    version: '5',
    sentMax: '5',
    bytes: 7,
  } as const;
  const first = uploaded({ ...upload, actor: '8905a3b39fdd' }, AT + 1_000_000);
  const counts = { validated: 0, stored: 0, readBack: 0 };
  const change = { status: 'validated', reason: null, sentMax: '5', rows: counts } as const;
  const second = advance(first, change, AT);
  const third = advance(second, { ...change, status: 'ingested' }, AT);
  expect([uploaded(upload, AT), third].map(auditEventOfRequest)).toEqual([undefined, undefined]);
  const event = auditEventOfRequest(second)!;
  await writeAudit(opened.warehouse, [event, event]);
  await writeAudit(opened.warehouse, [event]);
  expect((await rows()).slice(-1)).toEqual([
    {
      at: '2026-11-21 06:03:20.000',
      actor: '8905a3b39fdd',
      action: 'upload',
      account: 'other',
      subject: upload.requestId,
    },
  ]);
  expect(await rows()).toHaveLength(5);
});
