import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, FileChooser } from 'playwright-core';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow } from '../../support/files/files.js';
import { type ConsolePage, ConsoleService } from './console.js';
import { until } from '../../support/until.js';

const LONG = 'a-name-of-a-file-that-is-long-enough-for-any-screen-of-a-phone.csv';
/** The rules of axe that look at colours. The others find the same in every colour scheme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let service: ConsoleService;
beforeAll(async () => {
  service = await ConsoleService.start();
});
afterAll(() => service.close());

describe('the files of the console', () => {
  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, service.url), { redirect: 'manual', ...init });

  test('are served without a token, under a strict policy, and are asked for anew', async () => {
    for (const [path, type] of [
      ['/console/', 'text/html; charset=utf-8'],
      ['/console/modules/clients/console/main.js', 'text/javascript; charset=utf-8'],
      ['/console/modules/clients/console/check-worker.js', 'text/javascript; charset=utf-8'],
      ['/console/modules/clients/console/console.css', 'text/css; charset=utf-8'],
      ['/console/modules/csv/prepare-upload.js', 'text/javascript; charset=utf-8'],
    ]) {
      const response = await get(path!);
      expect([path, response.status]).toEqual([path, 200]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'content-security-policy':
          "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; " +
          "connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
          "form-action 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      });
      expect(response.headers.get('set-cookie')).toBeNull();
      const etag = response.headers.get('etag')!;
      const again = await get(path!, {
        headers: { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' },
      });
      expect([again.status, await again.text()]).toEqual([304, '']);
      const head = await get(path!, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
  });

  test('are no others, and take no other method', async () => {
    const redirect = await get('/console');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([308, 'console/']);
    for (const path of [
      '/console/index.html',
      '/console/modules/main.js',
      '/console/modules/accounts/manage-tokens.js',
      '/console/modules/clients/console/main.js.map',
      '/console/modules/clients/console/../../../package.json',
      '/console/modules/clients/console/%2e%2e/%2e%2e/main.js',
      '/console/constructor',
      '/Console/',
      '/consoles',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    const post = await get('/console/', { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get('/console/nothing', { method: 'POST' })).status).toBe(404);
  });
});

describeWithChromium('the page of the console', () => {
  test('is used by keys alone, from the token to the end of the request', async () => {
    const console = await service.open();
    const { page } = console;
    const { keyboard } = page;
    // Registered first: the browser has to expect the file chooser before the key is pressed.
    const chosen = new Promise<FileChooser>((resolve) => page.once('filechooser', resolve));
    const focused = (): Promise<string> =>
      page.evaluate(
        "(document.activeElement.labels?.[0] ?? document.activeElement).innerText.trim().replace(/\\s+/g, ' ')",
      );
    const tabTo = async (label: RegExp): Promise<void> => {
      for (let steps = 0; steps < 15; steps++) {
        await keyboard.press('Tab');
        if (label.test(await focused())) return;
      }
      throw new Error(`${String(label)} cannot be reached, the focus is on: ${await focused()}`);
    };
    await tabTo(/^Skip to the files/);
    expect(await page.getByText('Skip to the files').boundingBox()).toMatchObject({ y: 8 });
    await tabTo(/^API token/);
    await keyboard.type(service.token);
    await tabTo(/^Cost/);
    await keyboard.press('ArrowDown');
    await tabTo(/^Time zone/);
    await keyboard.press('Shift+Tab');
    await keyboard.press('ArrowUp');
    await tabTo(/^CSV files/);
    await keyboard.press('Enter');
    const chooser = await chosen;
    const content = csv([goodRow('cost', { campaign: 'by keys' })]);
    // Later texts take the place of earlier ones.
    await page.evaluate(`
      said = [];
      const announcer = document.querySelector('[role=status]');
      new MutationObserver(() => said.push(announcer.textContent)).observe(announcer, {
        childList: true,
      });
    `);
    await chooser.setFiles({
      name: 'keys.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(content),
    });
    await console.state('keys.csv', 'Valid: 1 row');
    for (const text of ['keys.csv: Valid: 1 row', 'keys.csv: 1 key: 1 new']) {
      await until(async () => (await page.evaluate<string>('said.join()')).includes(text), 50);
    }
    await tabTo(/^Warnings about keys\.csv/);
    await tabTo(/^Sums of the keys of keys\.csv/);
    await tabTo(/^Send keys\.csv/);
    await keyboard.press('Enter');
    await console.state('keys.csv', 'Succeeded');
    await page.getByRole('status').filter({ hasText: 'keys.csv: Succeeded' }).waitFor();
    // The button is gone, but the focus stays on the file.
    expect(await focused()).toMatch(/^keys\.csv/);
    await tabTo(/^Remove keys\.csv/);
    await keyboard.press('Enter');
    expect(await focused()).toMatch(/^CSV files/);
    await console.close();
  });

  test('without a token says so where the token goes', async () => {
    const console = await service.open();
    await console.pick({ name: 'a.csv', content: csv([goodRow('cost')]) });
    await console.click('a.csv', 'Send');
    await console.page.getByText('Paste the API token first.').waitFor();
    expect(await console.page.evaluate('document.activeElement.id')).toBe('token');
    expect(await console.tokenField.getAttribute('aria-invalid')).toBe('true');
    await console.state('a.csv', 'Valid');
    await console.shows('a.csv', 'Paste the API token to see what this file would replace.');
    await console.pasteToken();
    await console.page.keyboard.press('Tab');
    await console.shows('a.csv', 'If you send it: 1 key');
    await console.close();
  });

  test('leaves neither the token nor its values in the browser', async () => {
    const console = await service.open();
    await console.pasteToken();
    const { page } = console;
    await console.pick({
      name: 'kept.csv',
      content: csv([goodRow('cost', { campaign: 'not to be kept' })]),
    });
    await console.click('kept.csv', 'Send');
    await console.state('kept.csv', 'Succeeded');
    const state = await page.context().storageState({ indexedDB: true });
    expect(state.cookies).toEqual([]);
    expect(state.origins.map(({ localStorage }) => localStorage.map(({ name }) => name))).toEqual([
      ['custom-data.recent-requests'],
    ]);
    const kept = JSON.stringify([
      state,
      await page.evaluate('[{ ...sessionStorage }, location.href, document.cookie, history.state]'),
      await page.evaluate('caches.keys()'),
    ]);
    expect(kept).toContain('kept.csv');
    expect(kept).not.toContain(service.token);
    expect(kept).not.toContain('not to be kept');

    await page.reload();
    expect(await console.tokenField.inputValue()).toBe('');
    await page.getByRole('row', { name: /kept\.csv.*Succeeded/ }).waitFor();
    await page.getByRole('button', { name: 'Clear this list' }).click();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.getByText('There are none.').waitFor();

    // A request that is under way does not come back into the list.
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/cost/requests/*-*', async (route) => {
      await held;
      await route.continue();
    });
    await console.pasteToken();
    await console.pick({ name: 'under-way.csv', content: csv([goodRow('cost')]) });
    await console.click('under-way.csv', 'Send');
    await page.getByRole('row', { name: /under-way\.csv/ }).waitFor();
    await page.getByRole('button', { name: 'Clear this list' }).click();
    goOn();
    await console.state('under-way.csv', 'Succeeded');
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.getByText('There are none.').waitFor();
    await console.close();
  });

  type ColorScheme = 'light' | 'dark';

  test.each<[name: string, schemes: readonly ColorScheme[], options: BrowserContextOptions]>([
    ['light and dark', ['light', 'dark'], {}],
    ['on a narrow phone', ['light'], { viewport: { width: 320, height: 640 }, isMobile: true }],
  ])('is accessible: %s', async (_name, schemes, options) => {
    const console = await service.open({ reducedMotion: 'reduce', ...options });
    const axe = await readFile(AXE, 'utf8');
    const check = async (): Promise<void> => {
      for (const [at, colorScheme] of schemes.entries()) {
        await console.page.emulateMedia({ colorScheme });
        const found = await violations(console, axe, at === 0 ? {} : { runOnly: OF_COLOURS });
        expect([colorScheme, found]).toEqual([colorScheme, []]);
      }
      expect(
        await console.page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      ).toBeLessThanOrEqual(0);
    };
    await check();
    const wrong = Array.from({ length: 15 }, () => goodRow('cost', { currency: 'x'.repeat(80) }));
    await console.pasteToken();
    await console.chooseFamily('Self-serve');
    await console.chooseFamily('Cost');
    await console.pick(
      { name: LONG, content: csv(wrong) },
      { name: 'good.csv', content: csv([goodRow('cost')]) },
      { name: 'large.csv', content: 'x'.repeat(1_100_000) },
    );
    await console.state('good.csv', 'Valid');
    await console.state('large.csv', 'Too large');
    await console.shows('good.csv', 'If you send it: 1 key');
    await check();
    await console.click(LONG, 'Send anyway');
    await console.state(LONG, 'Failed');
    await console.click('good.csv', 'Send');
    await console.state('good.csv', 'Succeeded');
    // With every table that a preview may have.
    const changed = ['2.5', '0'].map((cost) => goodRow('cost', { channel: 'search', cost }));
    const replacing = goodRow('cost', { cost: '99', currency: 'USD' });
    await console.pick({ name: 'changed.csv', content: csv([...changed, replacing]) });
    await console.cells('changed.csv', 'What changed.csv would replace');
    await check();
    const foreign = goodRow('cost', { date: '01/02/2026', campaign: 'Größe', cost: '1.234' });
    const sheet = csv([foreign]).replace('date', 'Date').replaceAll(',', '\t');
    await console.pick({ name: 'sheet.csv', content: Buffer.from(sheet, 'utf16le') });
    await console.click('sheet.csv', 'Convert');
    await console.shows('sheet.csv', 'Choose one of these first.');
    await check();
    await console.close();
  });
});

/** Returns each violation that axe finds as a line. */
async function violations(
  { page }: ConsolePage,
  axe: string,
  options: { readonly runOnly?: readonly string[] },
): Promise<string[]> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe);
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
  );
}
