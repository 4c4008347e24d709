import { readFile } from 'node:fs/promises';

import { expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

import { startChromium } from '../../support/machine/chromium.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

export interface GivenFile {
  readonly name: string;
  readonly content: string | Buffer;
}

/** A channel that the service refuses for cost, but that the page does not know. */
export const INTEGRATED = 'Integrated Ads';

/** The built service, and a browser that opens its console, which the first visit starts. */
export class ConsoleService {
  private browser: Promise<Browser> | undefined;

  private constructor(
    private readonly dataDir: string,
    readonly service: ServiceProcess,
    readonly token: string,
  ) {}

  static async start(): Promise<ConsoleService> {
    const dataDir = await makeMigratedDir();
    const token = await tokenFor(dataDir, 'acme');
    const service = await ServiceProcess.start(dataDir, { INTEGRATED_CHANNELS: INTEGRATED });
    return new ConsoleService(dataDir, service, token);
  }

  get url(): string {
    return `http://127.0.0.1:${this.service.ports.api}/console`;
  }

  /** Opens the console in its own browser profile. */
  async open(options: BrowserContextOptions = {}): Promise<ConsolePage> {
    this.browser ??= startChromium();
    const context = await (await this.browser).newContext(options);
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
      console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI);
    })`);
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    const console = new ConsolePage(page, this.token);
    await page.goto(this.url);
    return console;
  }

  /** Opens the console, pastes the token and works. The caller closes the page. */
  async visit(work: (console: ConsolePage) => Promise<void>): Promise<ConsolePage> {
    const console = await this.open();
    await console.pasteToken();
    await work(console);
    return console;
  }

  /** Rows of the report on costs whose campaign begins like this. */
  report(campaign: string): Promise<object[]> {
    return this.service.query(
      `SELECT campaign, clicks, cost FROM cost_report WHERE campaign LIKE '${campaign}%' ORDER BY campaign`,
    );
  }

  async close(): Promise<void> {
    try {
      await (await this.browser)?.close();
    } finally {
      await this.service.kill();
      await removeDataDir(this.dataDir);
    }
  }
}

/** What a user does with the page. */
export class ConsolePage {
  /** Script errors and violations of the content security policy. */
  readonly errors: string[] = [];

  constructor(
    readonly page: Page,
    private readonly token: string,
  ) {
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
  }

  get tokenField(): Locator {
    return this.page.getByLabel('API token of');
  }

  pasteToken(token = this.token): Promise<void> {
    return this.tokenField.fill(token);
  }

  async chooseFamily(label: 'Cost' | 'Self-serve'): Promise<void> {
    await this.page.getByRole('radio', { name: label }).check();
  }

  pick(...files: readonly GivenFile[]): Promise<void> {
    return this.page
      .getByLabel('CSV files')
      .setInputFiles(
        files.map(({ name, content }) => ({ name, mimeType: 'text/csv', buffer: bytes(content) })),
      );
  }

  /** Drops files as a file manager does. */
  async drop(...files: readonly GivenFile[]): Promise<void> {
    const given = files.map(({ name, content }) => ({
      name,
      base64: bytes(content).toString('base64'),
    }));
    const transfer = await this.page.evaluateHandle(
      `((given) => {
        const transfer = new DataTransfer();
        for (const { name, base64 } of given) {
          const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
          transfer.items.add(new File([content], name, { type: 'text/csv' }));
        }
        return transfer;
      })(${JSON.stringify(given)})`,
    );
    await this.page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
  }

  card(fileName: string): Locator {
    const heading = this.page.getByRole('heading', { name: fileName, exact: true });
    return this.page.getByRole('listitem').filter({ has: heading }).last();
  }

  /** Waits until the file shows this state. */
  async state(fileName: string, text: string | RegExp): Promise<void> {
    const state = this.card(fileName).locator('.state').filter({ hasText: text });
    try {
      await state.waitFor();
    } catch (error) {
      const shown = await this.page.locator('#uploads').innerText();
      throw new Error(`${fileName} is not "${String(text)}", but: ${shown}`, { cause: error });
    }
  }

  async click(fileName: string, label: string): Promise<void> {
    await this.card(fileName).getByRole('button', { name: label }).click();
  }

  /** Returns the cells of a table about the file, by row. */
  async cells(fileName: string, caption: string): Promise<string[][]> {
    const table = this.card(fileName).getByRole('table', { name: caption });
    await table.waitFor();
    const rows = await table.locator('tbody tr').all();
    return Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
  }

  /** Waits until the card of the file has this text. */
  async shows(fileName: string, text: string | RegExp): Promise<void> {
    await this.card(fileName).getByText(text).waitFor();
  }

  async downloadWrongRows(fileName: string): Promise<{ name: string; csv: string }> {
    const [download] = await Promise.all([
      this.page.waitForEvent('download'),
      this.click(fileName, 'Download the wrong rows'),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    return { name: download.suggestedFilename(), csv };
  }

  /** Ends the visit. Expects no errors and no violations except `expected`. */
  async close(expected: readonly RegExp[] = []): Promise<void> {
    await this.page.context().close();
    const others = this.errors.filter((error) => !expected.some((known) => known.test(error)));
    expect(others).toEqual([]);
  }
}

function bytes(content: string | Buffer): Buffer {
  return Buffer.from(content);
}
