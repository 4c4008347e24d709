import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { Progress } from '../../../../src/clients/cli/upload/progress.js';
import { goodRow } from '../../../support/files/files.js';
import { outcomeOf } from '../../../support/service/outcome.js';

/** What a file may have in a name or a value to make a line of its own. */
const VALUE = 'x\n\tforged';
const SHOWN = 'x\\n\\tforged';
const FORGED = /^\s*forged/m;

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'one-line-'));
  path = join(folder, 'file.csv');
  const row = { ...goodRow('cost'), currency: VALUE };
  const cells = [Object.keys(row), Object.values(row)].map((all) => all.map((cell) => `"${cell}"`));
  cells[0]!.push(`"${VALUE}"`);
  cells[1]!.push('');
  await writeFile(path, cells.map((all) => `${all.join(',')}\n`).join(''));
});
afterAll(() => rm(folder, { recursive: true }));

test.each(['validate', 'convert', 'upload'])(
  '%s says in one line what is wrong',
  async (command) => {
    const { out } = await outcomeOf({ CUSTOM_DATA_TOKEN: 'x' }, command, path, '--family', 'cost');
    expect(out).toContain(SHOWN);
    expect(out).not.toMatch(FORGED);
  },
);

test('the progress is one line, whatever the file is called', () => {
  let shown = '';
  const terminal = { env: {}, out: () => undefined, hint: (text: string) => (shown += text) };
  new Progress({ ...terminal, columns: 200 }).bar(1, 1, `previewing ${VALUE}\u001b[2J`);
  new Progress(terminal).line(`${VALUE}: request 1 of 1`);
  expect(shown).toContain(`previewing ${SHOWN}\ufffd[2J`);
  expect(shown).toContain(`${SHOWN}: request 1 of 1\n`);
});
