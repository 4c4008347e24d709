import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeWithChromium } from '../../support/machine/chromium.js';
import { csv, goodRow, type Values } from '../../support/files/files.js';
import { encoded } from '../../support/files/spreadsheet-files.js';
import { type ConsolePage, ConsoleService } from './console.js';

/** Rows as a spreadsheet writes them where commas are decimal. */
function german(...rows: readonly Values[]): string {
  return csv(rows.map((values) => goodRow('cost', values)))
    .replace('date,channel', 'Date,Channel')
    .replaceAll(',', ';')
    .replaceAll('\n', '\r\n');
}

/** A day that may be uploaded, as DD/MM/YYYY; as MM/DD/YYYY it is one that may not. */
function ambiguousDay(): string {
  for (let ago = 1; ago < 60; ago++) {
    const date = new Date(Date.now() - ago * 86_400_000);
    const [, month, day] = date.toISOString().slice(0, 10).split('-') as [string, string, string];
    const year = date.getUTCFullYear();
    const other = Date.parse(`${year}-${day}-${month}T00:00:00Z`);
    const days = (Date.now() - other) / 86_400_000;
    if (days < -2 || days > 100) return `${day}/${month}/${year}`;
  }
  throw new Error('no day is ambiguous');
}

describeWithChromium('a file of a spreadsheet in the console', () => {
  let service: ConsoleService;
  beforeAll(async () => {
    service = await ConsoleService.start();
  });
  afterAll(() => service.close());

  const rowsOf = (campaign: string): Promise<object[]> =>
    service.service.query(
      `SELECT toString(date) AS date, campaign, impressions, cost FROM cost_rows
       WHERE campaign LIKE '${campaign}%' ORDER BY campaign`,
    );
  const isOffered = async (console: ConsolePage, name: string, label: string): Promise<boolean> =>
    (await console.card(name).getByRole('button', { name: label }).count()) > 0;

  test('is shown as it would change, converted when told to, and sent', async () => {
    const content = encoded(
      german(
        { date: '13.02.2026', campaign: 'Größe 1', impressions: '1.234', cost: '1.5' },
        { date: '14.02.2026', campaign: 'Größe 2', impressions: '1.000', cost: '2' },
      ).replace('1.5', '1,5'),
      'Windows-1252',
    );
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'sheet.csv', content });
      expect(await console.cells('sheet.csv', 'What converting sheet.csv would change')).toEqual([
        ['the text', 'Windows-1252 becomes UTF-8', 'Größe 1 (row 2)\nGröße 2 (row 3)'],
        ['the separators', 'semicolons become commas', ''],
        [
          'the column names',
          'column names get lowercase letters',
          'Date → date (row 1)\nChannel → channel (row 1)',
        ],
        [
          'date',
          'DD.MM.YYYY becomes YYYY-MM-DD',
          '13.02.2026 → 2026-02-13 (row 2)\n14.02.2026 → 2026-02-14 (row 3)',
        ],
        ['impressions', 'written with digits only', '1.234 → 1234 (row 2)\n1.000 → 1000 (row 3)'],
        [
          'cost',
          'written with a decimal point, without separators of thousands',
          '1,5 → 1.5 (row 2)',
        ],
        [
          'impressions',
          'read as a number with a decimal comma because of "1.234" in row 2',
          '1.000 → 1000 (row 3)',
        ],
      ]);
      await console.click('sheet.csv', 'Convert');
      await console.state('sheet.csv', 'Valid: 2 rows');
      await console.shows('sheet.csv', 'Converted here. The file that you chose stays as it is.');
      await console.shows('sheet.csv', 'If you send it: 2 keys');
      // What was wrong, and what would change, is over.
      const captions = await console.card('sheet.csv').locator('caption').allInnerTexts();
      expect(captions.filter((text) => /wrong|would change/.test(text))).toEqual([]);

      const [download] = await Promise.all([
        console.page.waitForEvent('download'),
        console.click('sheet.csv', 'Download the converted file'),
      ]);
      expect(download.suggestedFilename()).toBe('sheet.converted.csv');
      expect(await readFile(await download.path(), 'utf8')).toBe(
        'date,channel,currency,campaign,impressions,clicks,cost\n' +
          '2026-02-13,Search,EUR,Größe 1,1234,10,1.5\n' +
          '2026-02-14,Search,EUR,Größe 2,1000,10,2\n',
      );
      await console.click('sheet.csv', 'Send');
      await console.state('sheet.csv', 'Succeeded');
    });
    expect(await rowsOf('Größe')).toEqual([
      { date: '2026-02-13', campaign: 'Größe 1', impressions: 1234, cost: 1.5 },
      { date: '2026-02-14', campaign: 'Größe 2', impressions: 1000, cost: 2 },
    ]);
    await console.close();
  });

  test('is not converted before its user has said what is ambiguous', async () => {
    const values = { campaign: 'asked', date: '01/02/2026', cost: '1,234' };
    const content = csv([goodRow('cost', values)]);
    const console = await service.visit(async (console) => {
      const { page } = console;
      await console.pick({ name: 'asked.csv', content });
      await console.click('asked.csv', 'Convert');
      await console.shows('asked.csv', 'Choose one of these first.');
      const card = console.card('asked.csv');
      const dates = card.getByRole('group', { name: 'In the column date, 01/02/2026 (row 2) is' });
      expect(await page.evaluate('document.activeElement.value')).toBe('MM/DD/YYYY');
      // By keys: the focus is on the first of the radio buttons.
      await page.keyboard.press('ArrowDown');
      const dayFirst = 'a date of the form DD/MM/YYYY: 2026-02-01';
      expect(await dates.getByRole('radio', { name: dayFirst }).isChecked()).toBe(true);
      await console.click('asked.csv', 'Convert');
      expect(await page.evaluate('document.activeElement.value')).toBe('comma');
      await card.getByRole('radio', { name: 'a number with a decimal point: 1234' }).check();
      await card.getByRole('button', { name: 'Convert' }).focus();
      await page.keyboard.press('Enter');
      await console.state('asked.csv', 'Valid: 1 row');
      // The button is gone, but the focus stays on the file.
      expect(await page.evaluate('document.activeElement.innerText')).toMatch(/^asked\.csv/);
      await console.click('asked.csv', 'Send');
      await console.state('asked.csv', 'Succeeded');
    });
    expect(await rowsOf('asked')).toEqual([
      { date: '2026-02-01', campaign: 'asked', impressions: 100, cost: 1234 },
    ]);
    await console.close();
  });

  test('that would not be valid either stays as it is, and its mistakes are shown', async () => {
    const content = german({ currency: 'eur' }, { date: '2026-02-30' });
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'wrong.csv', content });
      await console.click('wrong.csv', 'Convert');
      await console.state('wrong.csv', '2 wrong rows once converted');
      const found = await console.cells('wrong.csv', 'What would still be wrong in wrong.csv');
      expect(found.map(([row, column]) => [row, column])).toEqual([
        ['2', 'currency'],
        ['3', 'date'],
      ]);
      expect(await isOffered(console, 'wrong.csv', 'Download the converted file')).toBe(false);
      const send = console.page.getByRole('button', { name: 'Send all valid files' });
      expect(await send.isDisabled()).toBe(true);
    });
    await console.close();
  });

  test('is offered again if it is not valid with the answer', async () => {
    const columns = 'date,channel,event_category,event_value\n';
    const content = `${columns}${ambiguousDay()},a,again,1\n`;
    const console = await service.visit(async (console) => {
      await console.chooseFamily('Self-serve');
      await console.pick({ name: 'again.csv', content });
      const card = console.card('again.csv');
      const choose = (form: string): Promise<void> =>
        card.getByRole('radio', { name: `a date of the form ${form}` }).check();
      await choose('MM/DD/YYYY');
      await console.click('again.csv', 'Convert');
      await console.state('again.csv', '1 wrong row once converted');
      await choose('DD/MM/YYYY');
      await console.click('again.csv', 'Convert');
      await console.state('again.csv', 'Valid: 1 row');
    });
    await console.close();
  });

  test('that is too large once converted is one for the command line tool', async () => {
    const row = goodRow('cost', { channel: 'é'.repeat(60), campaign: 'é'.repeat(60) });
    const rows = Array.from({ length: 5_500 }, (_, i) => ({ ...row, term: `t${i}` }));
    const content = encoded(csv(rows), 'Windows-1252');
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'grows.csv', content });
      await console.click('grows.csv', 'Convert');
      await console.state('grows.csv', 'Too large for one request');
      const line = "custom-data convert 'grows.csv' --family cost";
      expect(await console.card('grows.csv').innerText()).toContain(line);
    });
    await console.close();
  });

  test('that contradicts itself is not converted', async () => {
    const content = german({ cost: '1.5' }, { cost: '2.5' }).replace('1.5', '1,5');
    const console = await service.visit(async (console) => {
      await console.pick({ name: 'both.csv', content });
      expect(await console.cells('both.csv', 'Why both.csv cannot be converted')).toEqual([
        ['3', 'cost', '"2.5" contradicts "1,5" in row 2: no form fits both'],
      ]);
      expect(await isOffered(console, 'both.csv', 'Convert')).toBe(false);
      // The cost may be a thousand, but that is not what is wrong.
      const values = { cost: '1.234', currency: 'eur' };
      await console.pick({ name: 'plain.csv', content: csv([goodRow('cost', values)]) });
      await console.state('plain.csv', '1 wrong row');
      expect(await isOffered(console, 'plain.csv', 'Convert')).toBe(false);
    });
    await console.close();
  });
});
