import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { type Fence, Page } from '../../support/documents/page.js';

/**
 * Every fenced block of the README and of `docs` is taken by a test, which runs it or compares it,
 * or has a comment in the page before it: `<!-- not run: the reason -->`.
 */

const MOST_MARKS = 15;
const DOCS = new URL('../../../docs/', import.meta.url);
const TESTS = new URL('../../', import.meta.url);
/** `snippet('page', 'part')` and `snippets('page', 'language')` in the source of the tests. */
const CALL = /\b(snippets?)\(\s*'([^']+)',\s*'([^']+)',?\s*\)/g;

/** What switches a test off. With another condition `describeIf` fails where CI is set. */
const OFF =
  /\b(?:(?:it|test|describe)\.(?:skip|todo)|x(?:it|test|describe)|describeIf\(\s*false)\b/;

const filesIn = (folder: URL, ending: string): string[] =>
  readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith(ending),
  );

const pages = ['../README.md', ...filesIn(DOCS, '.md')].map((name) => {
  const page = new Page(name);
  return { name, text: page.text, fences: page.fences() };
});
const sources = filesIn(TESTS, '.ts').map((name) => ({
  name,
  text: readFileSync(new URL(name, TESTS), 'utf8'),
}));
const calls = sources.flatMap(({ name: file, text }) =>
  [...text.matchAll(CALL)].map(([, kind, page, what]) => ({ file, kind, page, what: what! })),
);

function takes({ kind, page, what }: (typeof calls)[number], name: string, fence: Fence): boolean {
  if (page !== name) return false;
  return kind === 'snippets' ? fence.language === what : fence.content.includes(what);
}

const blocks = pages.flatMap(({ name, fences }) =>
  fences.map((fence) => ({
    block: `${name}: ${fence.content.split('\n', 1)[0]!}`,
    mark: fence.notRun,
    tests: calls.filter((call) => takes(call, name, fence)).map(({ file }) => file),
  })),
);

test('every block is run by a test or says why it cannot be', () => {
  const marked = blocks.filter(({ mark }) => mark !== undefined);
  const run = blocks.filter(({ tests }) => tests.length > 0);
  process.stderr.write(`\nblocks of the pages: ${run.length} run, ${marked.length} marked\n`);
  expect(blocks.filter(({ mark, tests }) => mark === undefined && tests.length === 0)).toEqual([]);
  expect(blocks.filter(({ mark, tests }) => mark !== undefined && tests.length > 0)).toEqual([]);
  expect(marked.length).toBeLessThanOrEqual(MOST_MARKS);
});

test('no block and no mark is overlooked', () => {
  for (const { name, text, fences } of pages) {
    const lines = text.match(/^[ >]*(?:`{3,}|~{3,})/gm) ?? [];
    expect([name, lines.length / 2]).toEqual([name, fences.length]);
    const marks = text.match(/<!-- *not run/g) ?? [];
    const marked = fences.filter(({ notRun }) => notRun !== undefined);
    expect([name, marks.length]).toEqual([name, marked.length]);
  }
});

test('a test that takes a block is not switched off', () => {
  const takers = new Set(calls.map(({ file }) => file));
  const off = sources.filter(({ name, text }) => takers.has(name) && OFF.test(text));
  expect(off.map(({ name }) => name)).toEqual([]);
});
