import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow } from '../../support/files/files.js';
import { type ConsolePage, ConsoleService } from './console.js';

const REFUSED = [/Failed to load resource/];

describeWithChromium('one of several files in the console', () => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await ConsoleService.start();
  });
  afterAll(() => service.close());

  const rowsOf = (campaign: string): Promise<object[]> =>
    service.service.query(
      `SELECT campaign, clicks, cost FROM cost_report WHERE campaign LIKE '${campaign}%' ORDER BY campaign`,
    );
  const visit = async (work: (console: ConsolePage) => Promise<void>): Promise<ConsolePage> => {
    const console = await service.open();
    await console.pasteToken();
    await work(console);
    return console;
  };

  test('is sent after those before it, so that of two with the same key the later wins', async () => {
    const files = ['1', '2', '3', '4'].map((clicks) => ({
      name: `order-${clicks}.csv`,
      content: csv([goodRow('cost', { campaign: 'in order', clicks, cost: '1' })]),
    }));
    const console = await visit(async (console) => {
      // Delays earlier files longer. If all were sent at once, the last would arrive first.
      let delayMs = 400;
      await console.page.route('**/cost/requests/', async (route) => {
        await sleep((delayMs -= 100));
        await route.continue();
      });
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      await console.page.getByRole('button', { name: 'Send all valid files' }).click();
      for (const { name } of files) await console.state(name, 'Succeeded');
    });
    expect(await rowsOf('in order')).toEqual([{ campaign: 'in order', clicks: 4, cost: 1 }]);
    await console.close();
  });

  test('waits for its user if the one before may not have arrived', async () => {
    const files = ['1', '2'].map((clicks) => ({
      name: `held-${clicks}.csv`,
      content: csv([goodRow('cost', { campaign: 'held', clicks, cost: '1' })]),
    }));
    const console = await visit(async (console) => {
      const { page } = console;
      await page.route('**/cost/requests/', (route) => route.abort('connectionreset'));
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      const sendAll = page.getByRole('button', { name: 'Send all valid files' });
      await sendAll.click();
      await console.state('held-1.csv', 'Perhaps not taken');
      await console.state('held-2.csv', 'Not sent');
      await console.shows('held-2.csv', 'may not have a file before this one');
      await page.unrouteAll();
      // Both again, in their order.
      await sendAll.click();
      for (const { name } of files) await console.state(name, 'Succeeded');
    });
    expect(await rowsOf('held')).toEqual([{ campaign: 'held', clicks: 2, cost: 1 }]);
    await console.close(REFUSED);
  });

  test.each([408, 500])('waits for its user if the one before was answered %d', async (status) => {
    const files = ['1', '2'].map((clicks) => ({
      name: `behind-${clicks}.csv`,
      content: csv([goodRow('cost', { campaign: `behind ${status}`, clicks, cost: '1' })]),
    }));
    const console = await visit(async (console) => {
      const { page } = console;
      await page.route('**/cost/requests/', (route) => route.fulfill({ status, json: {} }));
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      const sendAll = page.getByRole('button', { name: 'Send all valid files' });
      await sendAll.click();
      await console.state('behind-1.csv', 'Perhaps not taken');
      await console.state('behind-2.csv', 'Not sent');
      await page.unrouteAll();
      await sendAll.click();
      for (const { name } of files) await console.state(name, 'Succeeded');
    });
    expect(await rowsOf('behind')).toContainEqual({
      ...{ campaign: `behind ${status}`, clicks: 2, cost: 1 },
    });
    await console.close(REFUSED);
  });

  test('is sent with the token of its click, whatever the field has by then', async () => {
    const files = ['1', '2'].map((name) => ({
      name: `token-${name}.csv`,
      content: csv([goodRow('cost', { campaign: `token ${name}` })]),
    }));
    const console = await visit(async (console) => {
      const { page } = console;
      let first = true;
      await page.route('**/cost/requests/', async (route) => {
        if (first) await console.pasteToken('of-another-account');
        first = false;
        await route.continue();
      });
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      await page.getByRole('button', { name: 'Send all valid files' }).click();
      for (const { name } of files) await console.state(name, 'Succeeded');
    });
    expect(await rowsOf('token')).toHaveLength(2);
    await console.close(REFUSED);
  });
});
