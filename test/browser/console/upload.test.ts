import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow } from '../../support/files/files.js';
import { ConsoleService, INTEGRATED } from './console.js';

const REFUSED = [/Failed to load resource/];

/** A state of a card, and its progress bar at that time. */
interface Shown {
  readonly text: string;
  readonly isHidden: boolean;
  readonly sent: number;
}

const isCreate = (request: Request): boolean =>
  request.method() === 'POST' && request.url().endsWith('/requests/');

describeWithChromium('a file in the console', () => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await ConsoleService.start();
  });
  afterAll(() => service.close());

  test('goes from the drop to the report', async () => {
    const rows = ['dropped 1', 'dropped 2'].map((campaign) =>
      goodRow('cost', { campaign, clicks: '7', cost: '2.5' }),
    );
    const console = await service.visit(async (console) => {
      await console.drop({ name: 'spring.csv', content: csv(rows) });
      await console.state('spring.csv', 'Valid: 2 rows');
      // A worker has checked the file, and the page has not sent it yet.
      expect(console.page.workers()).toHaveLength(1);
      expect(await service.report('dropped')).toEqual([]);
      await console.click('spring.csv', 'Send');
      await console.state('spring.csv', 'Succeeded');
    });
    expect(await service.report('dropped')).toEqual([
      { campaign: 'dropped 1', clicks: 7, cost: 2.5 },
      { campaign: 'dropped 2', clicks: 7, cost: 2.5 },
    ]);
    await console.close();
  });

  test('is sent as it was checked, whatever is on the disk by then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'custom-data-console-test-'));
    const path = join(folder, 'changing.csv');
    const content = (clicks: string): string =>
      csv([goodRow('cost', { campaign: 'changing', clicks, cost: '1' })]);
    const console = await service.visit(async (console) => {
      await writeFile(path, content('1'));
      await console.page.getByLabel('CSV files').setInputFiles(path);
      await console.state('changing.csv', 'Valid');
      await writeFile(path, content('1000'));
      await console.click('changing.csv', 'Send');
      await console.state('changing.csv', 'Succeeded');
    });
    expect(await service.report('changing')).toEqual([
      { campaign: 'changing', clicks: 1, cost: 1 },
    ]);
    await console.close();
    await rm(folder, { recursive: true });
  });

  test('is judged here as the service judges it, and its wrong rows can be had', async () => {
    const wrong = goodRow('cost', {
      campaign: '=HYPERLINK("http://x"), 1',
      cost: '-1.5',
      clicks: '+x',
    });
    const content = '\ufeff' + csv([goodRow('cost'), wrong, goodRow('cost', { currency: 'eur' })]);
    const found = [
      ['3', 'clicks', '"+x" is not a whole number from 0 to 999999999999, digits only'],
      ['4', 'currency', '"eur" is not an ISO 4217 currency code in uppercase'],
    ];
    const columns = Object.keys(wrong).join(',');
    const annotated =
      `\ufeff${columns},error\r\n` +
      `2026-03-01,Search,EUR,"'=HYPERLINK(""http://x""), 1",100,'+x,-1.5,` +
      `"row 3: clicks ""+x"" is not a whole number from 0 to 999999999999, digits only"\r\n` +
      `2026-03-01,Search,eur,Spring,100,10,1.5,` +
      `"row 4: currency ""eur"" is not an ISO 4217 currency code in uppercase"\r\n`;
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'wrong.csv', content });
      await console.state('wrong.csv', '2 wrong rows');
      expect(await console.cells('wrong.csv', 'What is wrong')).toEqual(found);
      const download = await console.downloadWrongRows('wrong.csv');
      expect(download).toEqual({ name: 'wrong-wrong-rows.csv', csv: annotated });

      await console.click('wrong.csv', 'Send anyway');
      await console.state('wrong.csv', 'Failed');
      expect(await console.cells('wrong.csv', 'What the service found')).toEqual(found);
      expect((await console.downloadWrongRows('wrong.csv')).csv).toBe(annotated);
    });
    await console.close();
  });

  test('what only the service knows is found by its preview, and is in the wrong rows', async () => {
    const content = csv([goodRow('cost'), goodRow('cost', { channel: INTEGRATED })]);
    const message = 'is a channel with cost integration, its cost cannot be uploaded';
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'channel.csv', content });
      await console.state('channel.csv', 'Not valid for the service');
      const found = [['3', 'channel', `"${INTEGRATED}" ${message}`]];
      expect(await console.cells('channel.csv', 'What the service found')).toEqual(found);
      const send = console.page.getByRole('button', { name: 'Send all valid files' });
      expect(await send.isDisabled()).toBe(true);
      const line =
        `2026-03-01,${INTEGRATED},EUR,Spring,100,10,1.5,` +
        `"row 3: channel ""${INTEGRATED}"" ${message}"`;
      expect((await console.downloadWrongRows('channel.csv')).csv.split('\r\n')[1]).toBe(line);
      await console.click('channel.csv', 'Send anyway');
      await console.state('channel.csv', 'Failed');
      expect((await console.downloadWrongRows('channel.csv')).csv.split('\r\n')[1]).toBe(line);
    });
    await console.close();
  });

  test('larger than a request is packed where that helps, else the command line tool is named', async () => {
    const date = new Date().toISOString().slice(0, 10);
    const row = (i: number) => goodRow('self-serve', { date, event_category: `m${i % 5}` });
    const large = csv(Array.from({ length: 50_000 }, (_, i) => row(i)));
    expect(large.length).toBeGreaterThan(1_048_576);
    const rows = Array.from({ length: 30_000 }, (_, i) => goodRow('cost', { campaign: `c${i}` }));
    const few = csv(rows.slice(0, 10_001));
    expect(few.length).toBeLessThan(1_048_576);
    const console = await service.visit(async (console) => {
      for (const [name, content] of [
        ['cost large.csv', csv(rows)],
        ['cost long.csv', few],
      ] as const) {
        await console.pick({ name, content });
        await console.state(name, 'Too large for one request');
        const card = console.card(name);
        for (const command of ['upload', 'convert']) {
          const line = `custom-data ${command} '${name}' --family cost`;
          expect(await card.innerText()).toContain(line);
        }
        expect(await card.getByRole('button', { name: 'Send' }).count()).toBe(0);
      }

      await console.chooseFamily('Self-serve');
      await console.pick({ name: 'large.csv', content: large });
      await console.state('large.csv', 'Valid: 50,000 rows');
      const [posted] = await Promise.all([
        console.page.waitForRequest(isCreate),
        console.click('large.csv', 'Send'),
      ]);
      await console.state('large.csv', 'Succeeded');
      expect(posted.headers()['content-type']).toContain('multipart/form-data');
    });
    expect(
      await service.service.query(
        `SELECT count() AS rows FROM self_serve_rows WHERE date = '${date}'`,
      ),
    ).toEqual([{ rows: 50_000 }]);
    await console.close();
  });

  test('that the service refuses is sent again under the same key', async () => {
    const content = csv([goodRow('cost', { campaign: 'again' })]);
    const console = await service.visit(async (console) => {
      const keys: (string | undefined)[] = [];
      console.page.on('request', (request) => {
        if (isCreate(request)) keys.push(request.headers()['idempotency-key']);
      });
      await console.pasteToken('nobody');
      await console.pick({ name: 'again.csv', content });
      await console.click('again.csv', 'Send');
      await console.state('again.csv', 'Not taken by the service');
      expect(await console.card('again.csv').innerText()).toContain('The API token is unknown');
      await console.pasteToken();
      await console.click('again.csv', 'Send again');
      await console.state('again.csv', 'Succeeded');
      expect(keys).toHaveLength(2);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(keys[1]).toBe(keys[0]);
    });
    await console.close(REFUSED);
  });

  test('shows how much of it has been sent', async () => {
    const rows = Array.from({ length: 9_000 }, (_, i) =>
      goodRow('cost', { campaign: `slow ${i}` }),
    );
    const console = await service.visit(async (console) => {
      const { page } = console;
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: 300_000,
      });
      await console.pick({ name: 'slow.csv', content: csv(rows) });
      await console.state('slow.csv', 'Valid');
      // Kept by the page: between two looks of the test the rest may have been sent.
      await page.evaluate(`
        shown = [];
        const bar = document.querySelector('progress[aria-label="Sending slow.csv"]');
        const state = bar.closest('.card').querySelector('.state');
        new MutationObserver(() => {
          shown.push({ text: state.textContent, isHidden: bar.hidden, sent: bar.value });
        }).observe(state, { childList: true });
      `);
      await console.click('slow.csv', 'Send');
      await console.state('slow.csv', 'Succeeded');
      const shown = await page.evaluate<Shown[]>('shown');
      const amid = shown.filter(({ text }) => /^Sending: [1-9]\d? %$/.test(text));
      expect(amid.length).toBeGreaterThan(0);
      for (const { isHidden, sent } of amid) {
        expect(isHidden).toBe(false);
        expect(sent).toBeGreaterThan(0);
        expect(sent).toBeLessThan(1);
      }
      const bar = page.getByRole('progressbar', { name: 'Sending slow.csv' });
      expect(await bar.count()).toBe(0);
    });
    await console.close();
  });

  test('is followed through a moment in which the service is away', async () => {
    const console = await service.visit(async (console) => {
      let refusals = 0;
      await console.page.route('**/cost/requests/*-*', (route) =>
        refusals++ < 2 ? route.abort('connectionrefused') : route.continue(),
      );
      await console.pick({ name: 'away.csv', content: csv([goodRow('cost')]) });
      await console.click('away.csv', 'Send');
      await console.state('away.csv', 'Succeeded');
      expect(refusals).toBeGreaterThan(2);
    });
    await console.close(REFUSED);
  });

  test('whose token is refused later is asked about again, from where it was', async () => {
    const console = await service.visit(async (console) => {
      const { page } = console;
      let answers = 0;
      await page.route('**/cost/requests/*-*', async (route) => {
        const headers = route.request().headers();
        if (++answers > 1)
          return route.continue({ headers: { ...headers, authorization: 'none' } });
        const { requestId } = (await (await route.fetch()).json()) as { requestId: string };
        return route.fulfill({ json: { requestId, status: 'validated', reason: null } });
      });
      await console.pick({ name: 'later.csv', content: csv([goodRow('cost')]) });
      await console.click('later.csv', 'Send');
      await console.state('later.csv', 'Sent, but its state cannot be read');
      await page.getByRole('row', { name: /later\.csv.*Valid/ }).waitFor();
      await page.evaluate(`
        states = [];
        const state = [...document.querySelectorAll('.card')].at(-1).querySelector('.state');
        new MutationObserver(() => states.push(state.textContent)).observe(state, { childList: true });
      `);
      await page.unrouteAll();
      await console.click('later.csv', 'Ask again');
      await console.state('later.csv', 'Succeeded');
      expect(await page.evaluate('states.join()')).not.toContain('Received');
    });
    await console.close(REFUSED);
  });

  test('that could not be asked about shows its state once that is known', async () => {
    const console = await service.visit(async (console) => {
      const { page } = console;
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/cost/requests/*-*', async (route) => {
        // The card asks for a longer answer, the table does not.
        if (route.request().headers()['prefer'] === undefined) {
          return route.fulfill({ status: 404, json: { status: 404, detail: 'not there' } });
        }
        await released;
        return route.continue();
      });
      await console.pick({ name: 'asked.csv', content: csv([goodRow('cost')]) });
      await console.click('asked.csv', 'Send');
      const row = page.getByRole('row', { name: /asked\.csv/ });
      await row.filter({ hasText: 'Received' }).waitFor();
      await page.getByRole('button', { name: 'Ask for their states' }).click();
      await row.filter({ hasText: 'not there' }).waitFor();
      release();
      await row.filter({ hasText: 'Succeeded' }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('recent-heading');
    });
    await console.close(REFUSED);
  });

  test('whose name and values are hostile stays text', async () => {
    const attack = '<img src=x onerror="document.title=1">"><script>document.title=2</script>';
    // A file name cannot contain a slash.
    const name = `${attack.replaceAll('/', '')}.csv`;
    const content = csv([goodRow('cost', { currency: attack })]);
    const console = await service.visit(async (console) => {
      await console.pick({ name, content: `${attack},${content}` }, { name: 'value.csv', content });
      await console.state(name, '2 wrong rows');
      await console.click(name, 'Send anyway');
      await console.state(name, 'Failed');
      const [[, , message]] = (await console.cells('value.csv', 'What is wrong')) as [string[]];
      expect(message).toContain('<img src=x onerror');
      await console.page.reload();
      await console.page.getByRole('rowheader', { name }).waitFor();
      expect(await console.page.title()).toBe('Custom data upload');
      expect(await console.page.locator('img, main script').count()).toBe(0);
    });
    await console.close();
  });
});
