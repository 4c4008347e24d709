import { readdirSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

const FOLDER = new URL('../../../docs/decisions/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

test('every decision is listed by its number, with its title, its date and its status', () => {
  const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
  const told = pages.map((name) => {
    const [, title, number, date, status] =
      /^# (.+)\n\nDecision (\d+), (\d{4}-\d{2}-\d{2}), (in force|replaced by \d+)\.\n/.exec(
        read(name),
      ) ?? [];
    return { number: Number(number), date, title, name, status };
  });
  const listed = [
    ...read('README.md').matchAll(/^\| (\d+) +\| (\S+) +\| \[(.+)\]\((.+)\) +\| (.+?) +\|$/gm),
  ].map(([, number, date, title, name, status]) => {
    return { number: Number(number), date, title, name, status };
  });
  expect(told.sort((a, b) => a.number - b.number)).toEqual(listed);
  expect(listed.map(({ number }) => number)).toEqual(listed.map((_, i) => i + 1));
});
