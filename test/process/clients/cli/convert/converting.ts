import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { run } from '../../../../../src/clients/cli/commands.js';
import { csv, goodRow } from '../../../../support/files/files.js';
import type { Outcome } from '../../../../support/service/outcome.js';
import { makeFolder, removeFolder } from '../program.js';

/** A file as a spreadsheet writes it where commas are decimal. */
export const GERMAN =
  'Date;Channel;Currency;Campaign;Impressions;Clicks;Cost\r\n' +
  '13.02.2026;Search;EUR;Größe;1.234;5;1,5\r\n' +
  '14.02.2026;Search;EUR;b;7;5;2.345,5\r\n';

/** The same by the rules. */
export const CONVERTED =
  'date,channel,currency,campaign,impressions,clicks,cost\n' +
  '2026-02-13,Search,EUR,Größe,1234,5,1.5\n' +
  '2026-02-14,Search,EUR,b,7,5,2345.5\n';

/** Its date and its cost may be two things each. */
export const AMBIGUOUS = csv([goodRow('cost', { date: '01/02/2026', cost: '1,234' })]);

export interface Converting extends Outcome {
  readonly asked: readonly string[];
}

/** A folder with `file.csv`, which is converted to `file.converted.csv` unless told otherwise. */
export class ConvertFolder {
  readonly input: string;
  readonly output: string;

  private constructor(readonly path: string) {
    this.input = join(path, 'file.csv');
    this.output = join(path, 'file.converted.csv');
  }

  static async make(): Promise<ConvertFolder> {
    return new ConvertFolder(await makeFolder());
  }

  /**
   * Writes the file and runs the command on it.
   *
   * @param answers of the person at the terminal; undefined: there is nobody
   */
  async convert(
    content: string | Uint8Array,
    args: readonly string[] = [],
    answers?: readonly string[],
  ): Promise<Converting> {
    await writeFile(this.input, content);
    let out = '';
    let err = '';
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => {
      asked.push(this.short(question));
      return Promise.resolve(answers?.[asked.length - 1] ?? '');
    };
    const code = await run(['convert', this.input, ...args], {
      env: { INTEGRATED_CHANNELS: 'Acme Ads' },
      out: (text) => (out += text),
      hint: (text) => (err += text),
      ...(answers !== undefined && { ask }),
    });
    return { code, out: this.short(out), err: this.short(err), asked };
  }

  /** What was written; undefined: nothing. */
  async written(): Promise<string | undefined> {
    return existsSync(this.output) ? readFile(this.output, 'utf8') : undefined;
  }

  async clear(): Promise<void> {
    for (const name of await readdir(this.path)) {
      await rm(join(this.path, name), { recursive: true });
    }
  }

  remove(): Promise<void> {
    return removeFolder(this.path);
  }

  /** A text with the names of files in place of their paths. */
  private short(text: string): string {
    return text.replaceAll(`${this.path}/`, '');
  }
}
