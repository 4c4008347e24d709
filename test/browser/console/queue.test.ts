import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Route } from 'playwright-core';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow } from '../../support/files/files.js';
import { ConsoleService, type GivenFile } from './console.js';

const REFUSED = [/Failed to load resource/];

/** Files with one key, whose clicks are 1, 2 and so on. */
function filesOf(name: string, campaign: string, count = 2): GivenFile[] {
  return Array.from({ length: count }, (_, index) => {
    const clicks = String(index + 1);
    const content = csv([goodRow('cost', { campaign, clicks, cost: '1' })]);
    return { name: `${name}-${clicks}.csv`, content };
  });
}

describeWithChromium('one of several files in the console', () => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await ConsoleService.start();
  });
  afterAll(() => service.close());

  test('is sent after those before it, so that of two with the same key the later wins', async () => {
    const files = filesOf('order', 'in order', 4);
    const console = await service.visit(async (console) => {
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
    expect(await service.report('in order')).toEqual([
      { campaign: 'in order', clicks: 4, cost: 1 },
    ]);
    await console.close();
  });

  test.each<[string, (route: Route) => Promise<void>]>([
    ['is cut off', (route) => route.abort('connectionreset')],
    ['is answered 408', (route) => route.fulfill({ status: 408, json: {} })],
    ['is answered 500', (route) => route.fulfill({ status: 500, json: {} })],
  ])('waits for its user if the one before %s', async (what, answer) => {
    const files = filesOf('held', what);
    const console = await service.visit(async (console) => {
      const { page } = console;
      await page.route('**/cost/requests/', answer);
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
    expect(await service.report(what)).toEqual([{ campaign: what, clicks: 2, cost: 1 }]);
    await console.close(REFUSED);
  });

  test('is sent with the token of its click, whatever the field has by then', async () => {
    const files = ['1', '2'].map((name) => ({
      name: `token-${name}.csv`,
      content: csv([goodRow('cost', { campaign: `token ${name}` })]),
    }));
    const console = await service.visit(async (console) => {
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
    expect(await service.report('token')).toHaveLength(2);
    await console.close(REFUSED);
  });

  test('is sent with the rest once another token is there, if the token was refused', async () => {
    const files = filesOf('refused', 'refused');
    const console = await service.visit(async (console) => {
      const { page } = console;
      await console.pasteToken('nobody');
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      const sendAll = page.getByRole('button', { name: 'Send all valid files' });
      await sendAll.click();
      await console.state('refused-1.csv', 'Not taken by the service');
      await console.state('refused-2.csv', 'Not sent');
      await console.pasteToken();
      await sendAll.click();
      for (const { name } of files) await console.state(name, 'Succeeded');
    });
    expect(await service.report('refused')).toEqual([{ campaign: 'refused', clicks: 2, cost: 1 }]);
    await console.close(REFUSED);
  });

  test('is waited for while it is checked, and not lost by closing the page', async () => {
    const console = await service.visit(async (console) => {
      const { page } = console;
      // Holds what the checker is asked about the first file until it is released.
      await page.evaluate(`
        post = Worker.prototype.postMessage;
        held = [];
        Worker.prototype.postMessage = function (message, ...rest) {
          if (message?.body?.file?.name === 'slow.csv') held.push(() => post.call(this, message, ...rest));
          else post.call(this, message, ...rest);
        };
      `);
      await console.pick(
        { name: 'slow.csv', content: csv([goodRow('cost', { campaign: 'slow' })]) },
        { name: 'quick.csv', content: csv([goodRow('cost', { campaign: 'quick' })]) },
      );
      await console.state('quick.csv', 'Valid');
      const sendAll = page.getByRole('button', { name: 'Send all valid files' });
      expect(await sendAll.isDisabled()).toBe(true);
      await page.evaluate('held.forEach((release) => release())');
      await console.state('slow.csv', 'Valid');

      await page.route('**/cost/requests/', async (route) => {
        await sleep(2_000);
        await route.continue();
      });
      await sendAll.click();
      const asked = page.waitForEvent('dialog');
      await page.close({ runBeforeUnload: true });
      const dialog = await asked;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      for (const name of ['slow.csv', 'quick.csv']) await console.state(name, 'Succeeded');
    });
    await console.close();
  });
});
