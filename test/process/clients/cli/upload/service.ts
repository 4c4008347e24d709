import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../../../support/service/service-process.js';
import type { Outcome } from '../../../../support/service/outcome.js';
import type { CsvRow } from '../../../../support/model/warehouse-model.js';
import { type Running, startProgram } from '../program.js';

export interface Answered extends Outcome {
  readonly asked: readonly string[];
}

/** The built service and the built command line tool, with a folder for files and states. */
export class UploadFixture {
  private constructor(
    readonly service: ServiceProcess,
    readonly folder: string,
    readonly token: string,
    /** By account: the tokens of the others. */
    private readonly others: ReadonlyMap<string, string>,
    /** Where the command line tool keeps the states of uploads. */
    readonly stateHome: string,
  ) {}

  /** @param accounts besides `acme` */
  static async open(...accounts: readonly string[]): Promise<UploadFixture> {
    const folder = await makeMigratedDir();
    const token = await tokenFor(folder, 'acme');
    const others = new Map<string, string>();
    for (const account of accounts) others.set(account, await tokenFor(folder, account));
    const service = await ServiceProcess.start(folder);
    const stateHome = join(folder, 'state-home');
    await mkdir(stateHome);
    return new UploadFixture(service, folder, token, others, stateHome);
  }

  async close(): Promise<void> {
    await this.service.kill();
    await removeDataDir(this.folder);
  }

  get url(): string {
    return `http://127.0.0.1:${this.service.ports.api}`;
  }

  /** Creates a file with this name in the folder. */
  async file(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, content);
    return path;
  }

  start(
    args: readonly string[],
    input?: string | Uint8Array,
    url = this.url,
    account = 'acme',
  ): Running {
    return startProgram(this.env(url, account), args, input);
  }

  /** Same as `start`, in this process and without a standard input. */
  async run(args: readonly string[], url = this.url, account = 'acme'): Promise<Outcome> {
    // Loads every command, which not all test files need.
    const { outcomeOf } = await import('../../../../support/service/outcome.js');
    return outcomeOf(this.env(url, account), ...args);
  }

  /** Same as `run`, with a person at the terminal who gives this answer to every question. */
  async answering(answer: string, args: readonly string[]): Promise<Answered> {
    const { outcomeAt } = await import('../../../../support/service/outcome.js');
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const outcome = await outcomeAt({ env: this.env(this.url, 'acme'), ask }, args);
    return { ...outcome, asked };
  }

  private env(url: string, account: string): Record<string, string> {
    return {
      CUSTOM_DATA_URL: url,
      CUSTOM_DATA_TOKEN: this.others.get(account) ?? this.token,
      XDG_STATE_HOME: this.stateHome,
    };
  }
}

/** Returns cost rows of about 300 bytes. The two rows of each key are half a file apart. */
export function costRows(count: number, name: string): CsvRow[] {
  const keys = Math.ceil(count / 2);
  return Array.from({ length: count }, (_, i) => ({
    date: '2026-02-03',
    channel: 'news',
    currency: 'EUR',
    campaign: `${name} ${i % keys}`,
    ad_group: `group ${i} ${'x'.repeat(230)}`,
    impressions: String(i % 1000),
    clicks: '1',
    cost: String((i % 400) / 4),
  }));
}
