import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Route } from 'playwright-core';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow } from '../../support/files/files.js';
import { ConsoleService, type GivenFile } from './console.js';

const REFUSED = [/Failed to load resource/];
const PERHAPS = 'Perhaps not taken';
const NOT_TAKEN = 'Not taken by the service';

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

  test.each<[string, string, (route: Route) => Promise<void>]>([
    ['is cut off', PERHAPS, (route) => route.abort('connectionreset')],
    ['is answered 408', PERHAPS, (route) => route.fulfill({ status: 408, json: {} })],
    ['is answered 500', PERHAPS, (route) => route.fulfill({ status: 500, json: {} })],
    ['has no JSON as its answer', PERHAPS, (route) => route.fulfill({ status: 201, body: '<p>' })],
    // Asked a few times first.
    ['is answered 429', NOT_TAKEN, (route) => route.fulfill({ status: 429, json: {} })],
  ])('waits for its user if the one before %s', async (what, state, answer) => {
    const files = filesOf('held', what);
    const console = await service.visit(async (console) => {
      const { page } = console;
      await page.route('**/cost/requests/', answer);
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      const sendAll = page.getByRole('button', { name: 'Send all valid files' });
      await sendAll.click();
      await console.state('held-1.csv', state);
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

  test('keeps its place among those that were sent, also if its user chose another order', async () => {
    const files = filesOf('turned', 'turned');
    const console = await service.visit(async (console) => {
      const { page } = console;
      let cutOff: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (cutOff = resolve));
      await page.route('**/cost/requests/', async (route) => {
        await released;
        await route.abort('connectionreset');
      });
      await console.pick(...files);
      for (const { name } of files) await console.state(name, 'Valid');
      await console.click('turned-2.csv', 'Send');
      await console.click('turned-1.csv', 'Send');
      await console.state('turned-1.csv', 'Waiting to be sent');
      cutOff();
      await console.state('turned-2.csv', 'Perhaps not taken');
      await console.state('turned-1.csv', 'Not sent');
      await console.click('turned-2.csv', 'Send again');
      await console.state('turned-2.csv', 'Perhaps not taken');
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Send all valid files' }).click();
      for (const { name } of files) await console.state(name, 'Succeeded');
    });
    expect(await service.report('turned')).toEqual([{ campaign: 'turned', clicks: 1, cost: 1 }]);
    await console.close(REFUSED);
  });

  test('that was converted here can be downloaded also when it was not sent', async () => {
    const [{ content }] = filesOf('sheet', 'sheet', 1) as [GivenFile];
    const sheet = String(content).replaceAll(',', ';');
    const console = await service.visit(async (console) => {
      const label = 'Download the converted file';
      await console.page.route('**/cost/requests/', (route) => route.abort('connectionreset'));
      await console.pick({ name: 'sheet.csv', content: sheet });
      await console.click('sheet.csv', 'Convert');
      await console.state('sheet.csv', 'Valid');
      await console.click('sheet.csv', 'Send');
      await console.state('sheet.csv', 'Perhaps not taken');
      const [download] = await Promise.all([
        console.page.waitForEvent('download'),
        console.click('sheet.csv', label),
      ]);
      expect(await readFile(await download.path(), 'utf8')).toBe(content);
    });
    await console.close(REFUSED);
  });

  test('is taken from a drop, and a text that is dragged is left to the browser', async () => {
    const console = await service.open();
    const isTaken = (type: string, fill: string): Promise<boolean> =>
      console.page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        ${fill};
        const event = new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event);
        return event.defaultPrevented;
      })()`);
    const text = "dataTransfer.setData('text/plain', 'x')";
    const file = "dataTransfer.items.add(new File(['x'], 'x.csv'))";
    for (const type of ['dragover', 'drop']) expect(await isTaken(type, text)).toBe(false);
    expect(await console.page.locator('#drop.over').count()).toBe(0);
    for (const type of ['dragover', 'drop']) expect(await isTaken(type, file)).toBe(true);
    await console.state('x.csv', /wrong row|Not valid/);
    await console.close();
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
