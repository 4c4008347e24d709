import { constants, deflateRawSync, gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';

/** Malicious files: each fails with a reason, costs little, and leaves nothing visible. */

const MIB = 1_048_576;
const HEADER = 'date,channel,currency,campaign,impressions,clicks,cost\n';
const ROW = '2026-01-01,news,EUR,hostile,1,1,1\n';
/** Far more than any file takes alone, far less than quadratic cost would take. */
const PATIENCE_MS = 40_000;

/** Less than 1 MiB that unpacks to 900 MiB of a letter, a hundred times what is compressed once. */
function bomb(): Uint8Array<ArrayBuffer> {
  const block = deflateRawSync(Buffer.alloc(9 * MIB, 'a'), { finishFlush: constants.Z_FULL_FLUSH });
  const header = gzipSync('').subarray(0, 10);
  return Uint8Array.from(Buffer.concat([header, ...Array<Buffer>(100).fill(block)]));
}

const filled = (unit: string): string => unit.repeat(Math.floor(MIB / unit.length));
const behindHeader = (unit: string): string =>
  HEADER + ROW + unit.repeat(Math.floor((MIB - HEADER.length - ROW.length) / unit.length));

describeDeployments((kind) => {
  let deployment: Deployment;
  let client: ApiClient;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    const token = await tokenFor(deployment.dataDir, 'hostile');
    client = new ApiClient(() => deployment.service.ports.api, token);
    await deployment.start();
  });
  afterAll(() => deployment.close());

  describe.each<[string, string]>([
    ['quotes', filled('"')],
    ['quotes in a field', behindHeader('"')],
    ['commas', filled(',')],
    ['commas in a row', behindHeader(',')],
    ['line breaks', filled('\n')],
    ['line breaks behind a row', behindHeader('\n')],
    ['carriage returns', behindHeader('\r')],
    ['one giant field', behindHeader('x')],
    ['one giant quoted field', `${HEADER}${ROW}"${'x\n'.repeat(500_000)}"\n`],
    ['10,000 columns', `${Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')}\n`],
    ['an endless header', filled('date,')],
    ['NUL bytes', behindHeader('\0')],
    ['bytes that are no text', behindHeader('\u00ff').slice(0, MIB / 2)],
  ])('1 MiB of %s', (_, file) => {
    test('fails with a reason under 64 KiB and 50 keys, quickly', async () => {
      const bytes = Uint8Array.from(Buffer.from(file, file.includes('\u00ff') ? 'latin1' : 'utf8'));
      const started = Date.now();
      const record = await client.upload('cost', bytes);
      expect(Date.now() - started).toBeLessThan(PATIENCE_MS);
      expect(record.status).toBe('failed');
      expect(Buffer.byteLength(record.reason!)).toBeLessThanOrEqual(64 * 1024);
      const columns = Object.entries(JSON.parse(record.reason!) as Record<string, string[]>);
      expect(columns.length).toBeGreaterThan(0);
      expect(columns.length).toBeLessThanOrEqual(50);
      for (const [, messages] of columns) expect(messages.length).toBeLessThanOrEqual(21);
    });
  });

  test('a gzip bomb is stopped at the limit, and the request fails with a reason', async () => {
    const started = Date.now();
    const record = await client.upload('self-serve', bomb());
    expect(Date.now() - started).toBeLessThan(PATIENCE_MS);
    expect(record.status).toBe('failed');
    expect(record.reason).toContain('bytes when unpacked');
    expect(Object.keys(JSON.parse(record.reason!) as object)).toEqual(['file']);
  });

  test('a self-serve file of 32 MiB of minimal rows is taken', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const row = `${today},n,Visits,1\n`;
    const rows = Math.floor((32 * MIB - 100) / row.length);
    const file = gzipSync(`date,channel,event_category,event_value\n${row.repeat(rows)}`);
    const record = await client.upload('self-serve', Uint8Array.from(file));
    expect(record).toMatchObject({ status: 'succeeded', reason: null });
    expect(
      await deployment.query("SELECT event_value FROM self_serve_report WHERE account = 'hostile'"),
    ).toEqual([{ event_value: rows }]);
  });

  test('afterwards nothing of them is visible, and the service is well', async () => {
    expect(await deployment.query('SELECT count() AS rows FROM cost_rows')).toEqual([{ rows: 0 }]);
    const health = await fetch(`http://127.0.0.1:${deployment.service.ports.ops}/health/ready`);
    expect(health.status).toBe(200);
    const good = await client.upload('cost', HEADER + ROW);
    expect(good.status).toBe('succeeded');
    const text = JSON.stringify(deployment.service.logs);
    expect(text).not.toContain('data.csv');
    expect(text).not.toContain('hostile,1,1,1');
  });
});
