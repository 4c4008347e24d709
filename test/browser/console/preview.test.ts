import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow } from '../../support/files/files.js';
import { ConsoleService } from './console.js';

const REFUSED = [/Failed to load resource/];
const PREVIEWS = '**/custom-data-preview/**';

describeWithChromium('the preview of a file in the console', () => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await ConsoleService.start();
  });
  afterAll(() => service.close());

  const costsOf = (campaign: string): Promise<object[]> =>
    service.service.query(
      `SELECT campaign, cost FROM cost_report WHERE campaign LIKE '${campaign}%' ORDER BY campaign`,
    );

  test('does not move the buttons when it comes: a click may be under way', async () => {
    const console = await service.visit(async (console) => {
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await console.page.route(PREVIEWS, async (route) => {
        await answered;
        await route.continue();
      });
      const content = csv([goodRow('cost', { campaign: 'still' })]);
      await console.pick({ name: 'still.csv', content });
      await console.shows('still.csv', 'Asking the service what this file would replace');
      const send = console.card('still.csv').getByRole('button', { name: 'Send' });
      const before = await send.boundingBox();
      answer();
      await console.shows('still.csv', /^If you send it: 1 key/);
      expect(await send.boundingBox()).toEqual(before);
    });
    await console.close();
  });

  test('says what sending it would add, replace and leave, and what may be a mistake', async () => {
    const row = (campaign: string, cost: string): Record<string, string> =>
      goodRow('cost', { campaign, cost, impressions: '1200', clicks: '7' });
    const first = csv([row('shown 1', '10'), row('shown 2', '20')]);
    const next = csv([
      row('shown 1', '10'),
      row('shown 2', '0.1'),
      row('shown 2', '0.2'),
      goodRow('cost', { campaign: 'shown 3', cost: '5', channel: 'search' }),
    ]);
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'first.csv', content: first });
      await console.shows('first.csv', 'If you send it: 2 keys: 2 new, 0 replaced, 0 unchanged');
      await console.click('first.csv', 'Send');
      await console.state('first.csv', 'Succeeded');
      // What was to come is over.
      expect(await console.card('first.csv').getByRole('table').count()).toBe(0);

      await console.pick({ name: 'next.csv', content: next });
      await console.shows('next.csv', /^If you send it: 3 keys: 1 new, 1 replaced, 1 unchanged/);
      const [replaced, ...others] = await console.cells('next.csv', 'What next.csv would replace');
      expect(others).toEqual([]);
      const [, , , , , by] = replaced!;
      expect(replaced).toEqual([
        '2026-03-01',
        'Search',
        'shown 2',
        '20 EUR\nimpressions 1,200\nclicks 7',
        '0.3 EUR\nimpressions 2,400\nclicks 14',
        by,
      ]);
      const ids = await service.service.query<{ id: string }>(
        "SELECT toString(request_id) AS id FROM cost_rows WHERE campaign = 'shown 2'",
      );
      expect(by).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n/);
      expect(by).toContain(ids[0]!.id);
      expect(await console.cells('next.csv', 'Sums of the keys')).toEqual([
        ['EUR', 'impressions', '2,400', '3,700'],
        ['EUR', 'clicks', '14', '31'],
        ['EUR', 'cost', '30', '15.3'],
      ]);
      const warnings = await console.cells('next.csv', 'Warnings about next.csv');
      expect(warnings).toContainEqual([
        '4',
        'the file',
        '1 row agrees with an earlier one in everything but the numbers; reports show their sum',
      ]);
      expect(warnings.map(([, column]) => column)).toContain('channel');
      expect(await costsOf('shown')).toEqual([
        { campaign: 'shown 1', cost: 10 },
        { campaign: 'shown 2', cost: 20 },
      ]);
      await console.click('next.csv', 'Send');
      await console.state('next.csv', 'Succeeded');
    });
    const costs = (await costsOf('shown')) as { readonly cost: number }[];
    expect(costs.map(({ cost }) => cost)).toEqual([10, expect.closeTo(0.3), 5]);
    await console.close();
  });

  test('of metrics has the event category of each key', async () => {
    const date = new Date().toISOString().slice(0, 10);
    const file = (event_value: string): string =>
      csv([goodRow('self-serve', { date, event_category: 'Orders', event_value })]);
    const console = await service.visit(async (console) => {
      await console.chooseFamily('Self-serve');
      await console.pick({ name: 'metrics.csv', content: file('3') });
      await console.click('metrics.csv', 'Send');
      await console.state('metrics.csv', 'Succeeded');
      await console.pick({ name: 'again.csv', content: file('4.5') });
      const [cells] = await console.cells('again.csv', 'What again.csv would replace');
      expect(cells!.slice(0, 5)).toEqual([date, 'Search', 'Orders', '3', '4.5']);
      expect(await console.cells('again.csv', 'Sums of the keys')).toEqual([
        ['Orders', 'event_value', '3', '4.5'],
      ]);
    });
    await console.close();
  });

  test('that the service cannot make now can be asked for again, or the file be sent', async () => {
    const content = csv([goodRow('cost', { campaign: 'without' })]);
    const console = await service.visit(async (console) => {
      const { page } = console;
      await page.route(PREVIEWS, (route) => route.abort('connectionrefused'));
      await console.pick({ name: 'without.csv', content });
      await console.shows('without.csv', 'What this file would replace is not known.');
      await page.unrouteAll();
      await console.card('without.csv').getByRole('button', { name: 'Preview again' }).focus();
      await page.keyboard.press('Enter');
      await console.shows('without.csv', 'If you send it: 1 key');
      // The button is gone, but the focus stays on the file.
      expect(await page.evaluate('document.activeElement.innerText')).toMatch(/^without\.csv/);

      await page.route(PREVIEWS, (route) => route.abort('connectionrefused'));
      await console.pick({ name: 'anyhow.csv', content });
      await console.shows('anyhow.csv', 'What this file would replace is not known.');
      await console.click('anyhow.csv', 'Send');
      await console.state('anyhow.csv', 'Succeeded');
    });
    await console.close(REFUSED);
  });

  test('is asked for again while others are made, and not waited for', async () => {
    const content = csv([goodRow('cost', { campaign: 'not waited' })]);
    const console = await service.visit(async (console) => {
      let goOn = (): void => undefined;
      const seen = new Promise<void>((resolve) => (goOn = resolve));
      let asked = 0;
      await console.page.route(PREVIEWS, async (route) => {
        if (asked++ === 0) {
          await route.fulfill({ status: 503, headers: { 'Retry-After': '1' } });
          return;
        }
        await seen;
        await route.continue();
      });
      await console.pick({ name: 'busy.csv', content });
      await console.shows('busy.csv', 'The service is busy; asking again in 1 s');
      goOn();
      await console.shows('busy.csv', 'If you send it: 1 key');
      expect(asked).toBe(2);

      await console.page.unrouteAll();
      // Never answered.
      await console.page.route(PREVIEWS, () => undefined);
      await console.pick({ name: 'sent.csv', content });
      await console.shows('sent.csv', 'Asking the service what this file would replace');
      await console.click('sent.csv', 'Send');
      await console.state('sent.csv', 'Succeeded');
      expect(await console.card('sent.csv').innerText()).not.toContain('replace');
    });
    await console.close(REFUSED);
  });

  test('of a removed file does not hold up the others', async () => {
    const content = csv([goodRow('cost', { campaign: 'behind a removed one' })]);
    const console = await service.visit(async (console) => {
      let asked = 0;
      await console.page.route(PREVIEWS, (route) =>
        asked++ === 0
          ? route.fulfill({ status: 503, headers: { 'Retry-After': '600' } })
          : route.continue(),
      );
      await console.pick({ name: 'first.csv', content });
      await console.shows('first.csv', 'The service is busy; asking again in 600 s');
      await console.pick({ name: 'behind.csv', content });
      await console.shows('behind.csv', 'Asking the service what this file would replace');
      await console.click('first.csv', 'Remove');
      await console.shows('behind.csv', 'If you send it: 1 key');
    });
    await console.close(REFUSED);
  });

  test('is asked for again with another token, also after it has found mistakes', async () => {
    const content = csv([goodRow('cost', { campaign: 'refused once' })]);
    const refusal = {
      valid: false,
      reason: { channel: ['row 2: "Search" is a channel with cost integration'] },
      ...{ rows: null, keys: null, compared: false, totals: null, replaced: [], warnings: [] },
      asOf: '2026-03-10T00:00:00',
    };
    const console = await service.visit(async (console) => {
      await console.page.route(PREVIEWS, (route) => route.fulfill({ json: refusal }));
      await console.pick({ name: 'refused.csv', content });
      await console.state('refused.csv', 'Not valid for the service');
      await console.page.unrouteAll();
      await console.pasteToken('nobody');
      await console.page.keyboard.press('Tab');
      await console.shows('refused.csv', 'What this file would replace is not known.');
      await console.state('refused.csv', 'Valid: 1 row');
      expect(await console.card('refused.csv').innerText()).not.toContain('service found');
      await console.pasteToken();
      await console.page.keyboard.press('Tab');
      await console.shows('refused.csv', 'If you send it: 1 key');
      await console.click('refused.csv', 'Send');
      await console.state('refused.csv', 'Succeeded');
    });
    await console.close(REFUSED);
  });

  test('is that of the account whose token is entered', async () => {
    const content = csv([goodRow('cost', { campaign: 'of whom' })]);
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'own.csv', content });
      await console.click('own.csv', 'Send');
      await console.state('own.csv', 'Succeeded');
      await console.pick({ name: 'whose.csv', content });
      await console.shows('whose.csv', /1 key: 0 new, 0 replaced, 1 unchanged/);
      await console.pasteToken('nobody');
      await console.page.keyboard.press('Tab');
      await console.shows('whose.csv', 'What this file would replace is not known.');
      await console.pasteToken();
      await console.page.keyboard.press('Tab');
      await console.shows('whose.csv', /1 key: 0 new, 0 replaced, 1 unchanged/);
    });
    await console.close(REFUSED);
  });
});
