import { afterEach, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';

import { findUpload } from '../../../../src/log/uploads/find-upload.js';
import { endRecord, type UploadEnd } from '../../../../src/log/uploads/upload-records.js';
import { LogFolders } from '../../../support/log/log-folders.js';

const MINUTE_MS = 60_000;
const BEGUN_AT = Date.UTC(2026, 1, 1);
const END: UploadEnd = {
  chunks: 0,
  bytes: 0,
  firstOffset: null,
  acceptedAt: BEGUN_AT,
  version: '12345',
  finding: null,
  requestDay: 3,
  integratedChannels: [],
};

const folders = new LogFolders();
afterEach(() => folders.cleanUp());

test('finds an upload that took as long as one may', async () => {
  let now = BEGUN_AT;
  const log = await folders.open({ retentionMs: 1_000 * MINUTE_MS, now: () => now });
  const requestId = uuidv7({ msecs: BEGUN_AT });
  now += 110 * MINUTE_MS;
  await log.append('uploads', [endRecord({ requestId, account: 'acme', family: 'cost' }, END, {})]);
  now += MINUTE_MS;
  await log.append('uploads', [
    endRecord({ requestId: uuidv7({ msecs: now }), account: 'acme', family: 'cost' }, END, {}),
  ]);
  expect(await findUpload(log, requestId, 120 * MINUTE_MS)).toMatchObject({ account: 'acme' });
  expect(await findUpload(log, requestId, MINUTE_MS)).toBeUndefined();
});
