import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeWithChromium, startChromium } from '../../support/machine/chromium.js';
import { type Gateway, OWNER, startGateway } from '../../support/gateway/gateway.js';

let gateway: Gateway;
let origin: string;
beforeAll(async () => {
  gateway = await startGateway();
  origin = `http://127.0.0.1:${gateway.port}`;
});
afterAll(async () => {
  await gateway.close();
});

const FILES = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/openapi.json', 'application/json; charset=utf-8'],
  ['/docs/initialize.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon-32x32.png', 'image/png'],
] as const;

test.each(FILES)('%s is served without a token, under a strict policy', async (path, type) => {
  const response = await fetch(origin + path);
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': type,
    'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; /),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  });
  expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
  expect(response.headers.get('set-cookie')).toBeNull();

  const head = await fetch(origin + path, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);

  const beyond = await fetch(origin + path, { headers: { Range: 'bytes=99999999-' } });
  expect(beyond.status).toBe(200);

  for (const condition of [
    { 'If-Match': '*' },
    { 'If-Unmodified-Since': new Date(0).toUTCString() },
  ])
    expect((await fetch(origin + path, { headers: condition })).status).toBe(200);

  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    const refused = await fetch(origin + path, { method });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
  }
});

test.each([
  '/docs/index.html',
  '/docs/package.json',
  '/docs/swagger-initializer.js',
  '/docs/openapi.json/',
  '/docs/..%2fpackage.json',
  '/Docs',
  '/docss',
])('%s is not there', async (path) => {
  for (const method of ['GET', 'POST']) {
    const response = await fetch(origin + path, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  }
});

describeWithChromium('the page', () => {
  test.each(['/docs', '/docs/'])('%s makes a call, from this server alone', async (path) => {
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      const faults: string[] = [];
      const addresses: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('request', (request) => addresses.push(request.url()));
      await page.goto(origin + path);
      await page.getByText('Create an upload request').waitFor();

      await page.getByRole('button', { name: 'Authorize' }).click();
      await page.getByLabel('Value:').fill(`SERVICE-API-KEY ${OWNER}`);
      await page.getByRole('button', { name: 'Apply credentials' }).click();
      await page.getByRole('button', { name: 'Close' }).click();

      await page.getByText("Read an upload request's status").click();
      await page.getByRole('button', { name: 'Try it out' }).click();
      const answered = page.waitForResponse((response) => response.url().includes('/requests/'));
      await page.getByRole('button', { name: 'Execute' }).click();
      const answer = await answered;
      // The call had the token: only the request is unknown.
      expect([answer.status(), await answer.text()]).toEqual([
        404,
        expect.stringContaining('There is no such upload request.'),
      ]);
      expect(addresses.filter((address) => !/^(?:data:|http:\/\/127)/.test(address))).toEqual([]);
      // The browser reports the 404 as well.
      expect(faults.filter((fault) => !fault.includes('status of 404'))).toEqual([]);
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    } finally {
      await browser.close();
    }
  });
});
