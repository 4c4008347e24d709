import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { adapted } from '../../support/documents/commands.js';
import { snippet } from '../../support/documents/page.js';
import { until } from '../../support/until.js';
import { isOrGetsInstalled } from '../../support/machine/apt.js';
import { makeCertificate } from '../../support/machine/certificate.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { freePorts } from '../../support/machine/free-ports.js';
import { COST, csvOf } from '../../support/model/warehouse-model.js';
import { runs } from '../../support/service/command.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** The operations page's lines of nginx in front of the built service. */

const FILE = csvOf(COST, [
  {
    date: '2026-02-01',
    channel: 'news',
    currency: 'EUR',
    campaign: 'proxy',
    impressions: '1',
    clicks: '1',
    cost: '1',
  },
]);
const REQUESTS = '/custom-data-upload/v1.0/cost/requests/';
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
const TAIL = '\r\n--x--\r\n';

const hasNginx = isOrGetsInstalled(() => runs('nginx', ['-v']), ['nginx-light']);

describeIf(hasNginx, 'nginx cannot be installed')('nginx with TLS before a gateway', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let token: string;
  let nginx: ChildProcess;
  let ca: Buffer;
  let port: number;

  beforeAll(async () => {
    dataDir = await makeMigratedDir();
    token = await tokenFor(dataDir, 'acme');
    service = await ServiceProcess.start(dataDir);
    [port] = (await freePorts(1)) as [number];
    const { key, cert } = makeCertificate(dataDir, 'proxy');
    ca = await readFile(cert);
    const site = adapted(snippet('operations.md', 'upstream custom_data'), {
      'server 127.0.0.1:8080;': `server 127.0.0.1:${service.ports.api};`,
      'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
      '/etc/nginx/uploads.pem': cert,
      '/etc/nginx/uploads.key': key,
    });
    const folder = join(dataDir, 'nginx');
    await mkdir(folder);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    await writeFile(
      join(folder, 'nginx.conf'),
      `pid ${folder}/pid; events {} http { access_log off; ${temporary}\n${site}}`,
    );
    nginx = spawn(
      'nginx',
      [
        '-p',
        folder,
        '-c',
        join(folder, 'nginx.conf'),
        '-e',
        join(folder, 'error.log'),
        '-g',
        'daemon off;',
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    await until(async () => (await answered(send('GET', '/console/'))).status === 200, 50);
  });
  afterAll(async () => {
    const exited = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await exited;
    await service.kill();
    await removeDataDir(dataDir);
  });

  function send(method: string, path: string, more: Record<string, string> = {}): ClientRequest {
    const headers = { Authorization: `SERVICE-API-KEY ${token}`, ...more };
    const sent = httpsRequest({ host: '127.0.0.1', port, ca, method, path, headers });
    if (method === 'GET') sent.end();
    return sent;
  }

  async function answered(sent: ClientRequest): Promise<{ status: number; body: string }> {
    try {
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: response.statusCode!, body: await text(response) };
    } catch {
      return { status: 0, body: '' };
    }
  }

  function create(length: number): ClientRequest {
    return send('POST', REQUESTS, {
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': String(HEAD.length + length + TAIL.length),
    });
  }

  test('the gateway receives a file while the client still sends it', async () => {
    const sent = create(FILE.length);
    const answer = answered(sent);
    sent.write(HEAD + FILE.slice(0, 40));
    await until(async () => (await service.metric('custom_data_uploads_receiving')) === 1);
    sent.end(FILE.slice(40) + TAIL);
    const { status, body } = await answer;
    expect(status).toBe(201);
    const { requestId } = JSON.parse(body) as { requestId: string };
    const read = await answered(send('GET', `${REQUESTS}${requestId}`, { Prefer: 'wait=20' }));
    expect(read.status).toBe(200);
    await until(async () =>
      (await answered(send('GET', `${REQUESTS}${requestId}`))).body.includes('"succeeded"'),
    );
  });

  test("a file of the largest size passes, and one that is too large gets the gateway's answer", async () => {
    const header = FILE.slice(0, FILE.indexOf('\n') + 1);
    const row = FILE.slice(header.length);
    const least = header + row.repeat(Math.floor((1_048_576 - header.length) / row.length));
    // It has too many rows, which the request tells, but not too many bytes.
    const taken = create(least.length);
    const answer = answered(taken);
    taken.end(HEAD + least + TAIL);
    expect((await answer).status).toBe(201);

    const large = 'x'.repeat(1_400_000);
    const refused = create(large.length);
    const refusal = answered(refused);
    refused.on('error', () => undefined);
    refused.end(HEAD + large + TAIL);
    expect(await refusal).toMatchObject({ status: 413 });
  });

  test("a body beyond the proxy's limit is refused by the proxy", async () => {
    const sent = create(3_000_000);
    const answer = answered(sent);
    sent.on('error', () => undefined);
    sent.write(HEAD);
    expect((await answer).status).toBe(413);
    sent.destroy();
  });
});
