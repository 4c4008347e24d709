import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { run } from '../../support/service/command.js';
import { logDyingAtSignal } from '../../support/service/preloads/preload.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** The service as a process: its start, its stop, and what it refuses to start with. */

const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,3\n';

let dataDir: string;
let token: string;
const running = new Set<ServiceProcess>();

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(dataDir, env);
  running.add(service);
  return service;
}

beforeAll(async () => {
  dataDir = await makeDataDir();
  token = await tokenFor(dataDir, 'acme');
});
afterEach(async () => {
  for (const service of running) await service.kill();
  running.clear();
});
afterAll(() => removeDataDir(dataDir));

test('SIGTERM right after the 201 finishes and commits: exit 0, and the next start has nothing to replay', async () => {
  const service = await start();
  const client = new ApiClient(() => service.ports.api, token);
  await client.upload('cost', FILE);
  expect(await rowsStored(service)).toBe(1);
  const { requestId } = await client.create('cost', FILE);
  expect(await service.stop()).toBe(0);
  expect(service.stderr).toBe('');

  const next = await start();
  expect(
    await new ApiClient(() => next.ports.api, token).finished('cost', requestId),
  ).toMatchObject({ status: 'succeeded' });
  expect(await next.metrics()).toMatch(
    /custom_data_consumer_lag_records\{topic="uploads",group="ingest",partition="0"\} 0/,
  );
  expect(await rowsStored(next)).toBe(0);
});

const rowsStored = (service: ServiceProcess): Promise<number> =>
  service.metric('custom_data_rows_stored_total', 'family="cost"');

test('SIGTERM waits for an upload whose body is still coming', async () => {
  const service = await start();
  const parts = [FILE.slice(0, 30), FILE.slice(30)];
  let finishBody: () => void = () => undefined;
  const whole = new Promise<void>((resolve) => (finishBody = resolve));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const encoder = new TextEncoder();
      controller.enqueue(
        encoder.encode(
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + parts[0]!,
        ),
      );
      await whole;
      controller.enqueue(encoder.encode(`${parts[1]!}\r\n--x--\r\n`));
      controller.close();
    },
  });
  const answer = fetch(
    `http://127.0.0.1:${service.ports.api}/custom-data-upload/v1.0/cost/requests/`,
    {
      method: 'POST',
      headers: {
        Authorization: `SERVICE-API-KEY ${token}`,
        'Content-Type': 'multipart/form-data; boundary=x',
      },
      body,
      duplex: 'half',
    },
  );
  await receiving(service);
  const stopped = service.stop();
  setTimeout(finishBody, 300);
  expect((await answer).status).toBe(201);
  expect(await stopped).toBe(0);
});

async function receiving(service: ServiceProcess): Promise<void> {
  while (!(await service.metrics()).includes('custom_data_uploads_receiving 1')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a service that runs', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await ServiceProcess.start(dataDir, { INTEGRATED_CHANNELS: '' });
  });
  afterAll(() => service.kill());

  test('refuses a second one on its data folder with one line', async () => {
    await expect(start()).rejects.toThrow(
      /^the service ended with [1-9]\d*: DATA_DIR .* in use .*\n$/,
    );
  });

  test('says that it has no integrated channels', async () => {
    expect(await service.metric('custom_data_integrated_channels')).toBe(0);
    expect(warningsOf(service)).toEqual(['warn']);
  });
});

/** The levels of what it has logged about its channels. */
function warningsOf({ logs }: ServiceProcess): unknown[] {
  return logs
    .filter(({ msg }) => String(msg).includes('INTEGRATED_CHANNELS'))
    .map(({ level }) => level);
}

test('a wrong value is refused with one line that names its variable', async () => {
  await expect(start({ HTTP_PORT: 'eighty' })).rejects.toThrow(
    /^the service ended with 2: .*HTTP_PORT.*\n$/,
  );
});

test('a log that can do nothing any more ends the process; the next one goes on, and shows a request to its own account only', async () => {
  const service = await start({ ...logDyingAtSignal(), SHUTDOWN_SECONDS: '1' });
  const client = new ApiClient(() => service.ports.api, token);
  const record = await client.upload('cost', FILE);
  service.process.kill('SIGUSR2');
  const answer = client.post('cost', FILE).catch(() => undefined);
  expect(await service.exited).toBe(1);
  await answer;

  const stranger = await tokenFor(dataDir, 'stranger');
  const next = await start({ INTEGRATED_CHANNELS: 'Acme Ads, Other' });
  const again = new ApiClient(() => next.ports.api, token);
  expect(await again.finished('cost', record.requestId)).toEqual(record);
  expect((await again.get('self-serve', record.requestId)).status).toBe(404);
  const other = new ApiClient(() => next.ports.api, stranger);
  expect((await other.get('cost', record.requestId)).status).toBe(404);
  expect(await again.upload('cost', FILE)).toMatchObject({ status: 'succeeded' });

  expect(await next.metric('custom_data_integrated_channels')).toBe(2);
  expect(warningsOf(next)).toEqual([]);
});

test('what only a gateway needs is not loaded by a process that is none', () => {
  const program = `
    import { createRequire } from 'node:module';
    const loaded = () => Object.keys(createRequire(import.meta.url).cache);
    await import('./dist/service/service.js');
    console.log(JSON.stringify(loaded()));
    await import('./dist/gateway/api.js');
    console.log(JSON.stringify(loaded()));`;
  const printed = run(process.execPath, ['--input-type=module', '--eval', program]);
  const [service, gateway] = printed.split('\n', 2).map((line) => JSON.parse(line) as string[]);
  const ofExpress = expect.stringMatching(/node_modules.express.lib/);
  expect(service).not.toContainEqual(ofExpress);
  expect(gateway).toContainEqual(ofExpress);
});
