import { existsSync, readdirSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';
import { Command, CommanderError } from 'commander';

import { addCommands } from '../../../src/clients/cli/commands.js';
import type { Output } from '../../../src/clients/cli/terminal.js';
import { commandsOf, ROOT } from '../../support/documents/commands.js';
import { Page } from '../../support/documents/page.js';

/** Commands that the pages name, in blocks and in the text, are those of this version. */

const DOCS = readdirSync(`${ROOT}docs`, { encoding: 'utf8', recursive: true });
const PAGES = [
  '../README.md',
  '../CONTRIBUTING.md',
  ...DOCS.filter((name) => name.endsWith('.md')),
];
const NAMES = toolFor().commands.map((command) => command.name());
/** In the text a command may be named without everything that it needs. */
const ONLY_NAMED = [
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
];

const pages = PAGES.map((name) => new Page(name));
const inBlocks = pages.flatMap((page) =>
  page
    .fences()
    .filter(({ language }) => language === 'sh' || language === 'console')
    .flatMap(({ content }) => commandsOf(content)),
);
const inText = pages.flatMap((page) =>
  [...page.text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, text]) =>
    text!.replaceAll('\n', ' '),
  ),
);

/** What the first group of the pattern stands for, wherever the pages have it. */
function inPages(pattern: RegExp): string[] {
  return [...inBlocks, ...inText].flatMap((text) =>
    [...text.matchAll(pattern)].map(([, name]) => name!),
  );
}

/** The command line tool, whose commands do nothing. */
function toolFor(): Command {
  const tool = new Command('custom-data').option('--json').exitOverride();
  tool.configureOutput({ outputError: () => undefined });
  addCommands(tool, {} as Output);
  const disarm = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => undefined);
    command.commands.forEach(disarm);
  };
  disarm(tool);
  return tool;
}

/** Why the tool does not understand the words after its name. */
function errorOf(words: string): string | undefined {
  try {
    toolFor().parse(words.trim().split(/ +/), { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.code;
    throw error;
  }
}

/** What follows the tool's name in these texts, up to a comment or the next command. */
function argumentsIn(texts: readonly string[]): string[] {
  const named = /(?:\bcustom-data|cli\/main\.js) +([a-z-][^#;|&)]*)/g;
  return texts.flatMap((text) => [...text.matchAll(named)].map(([, words]) => words!));
}

test('the tool takes every command of a block', () => {
  const commands = argumentsIn(inBlocks);
  expect(commands.length).toBeGreaterThan(15);
  expect(commands.filter((words) => errorOf(words) !== undefined)).toEqual([]);
});

test('the tool knows every command that the text names', () => {
  const short = inText.filter((text) => NAMES.some((name) => text.startsWith(`${name} `)));
  const commands = [...argumentsIn(inText), ...short];
  expect(commands.length).toBeGreaterThan(10);
  const unknown = commands.filter((words) => {
    const error = errorOf(words);
    return error !== undefined && !ONLY_NAMED.includes(error);
  });
  expect(unknown).toEqual([]);
});

test('the scripts, programs and tests that the pages run are there', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
    scripts: Record<string, string>;
  };
  const ofNpm = inPages(/\bnpm run ([\w:]+)/g);
  expect(ofNpm.length).toBeGreaterThan(20);
  expect(ofNpm.filter((name) => !(name in scripts))).toEqual([]);
  const sourceOf = (path: string): string =>
    path.replace(/^dist\/(.*)\.js$/, (_, name: string) => `src/${name}.ts`);
  const files = [
    ...inPages(/\bnode ((?:scripts|dist|docs)\/[\w./-]+)/g).map(sourceOf),
    ...inPages(/\bnpm test -- (test\/[\w./-]+)/g),
  ];
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((path) => !existsSync(ROOT + path))).toEqual([]);
});

test('the tests that the pages name without their folder are there', () => {
  const tests = readdirSync(`${ROOT}test`, { encoding: 'utf8', recursive: true });
  const names = inPages(/\bnpm test -- ([\w-]+\.test)\b/g);
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((name) => !tests.some((path) => path.endsWith(`/${name}.ts`)))).toEqual([]);
});

test('the benchmarks that the pages name are there', () => {
  const program = readFileSync(`${ROOT}bench/run.ts`, 'utf8');
  const names = inPages(/\bnpm run bench -- ([^#;|&)]*)/g)
    .flatMap((words) => words.trim().split(/ +/))
    .filter((word) => /^\w+$/.test(word));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !new RegExp(`^ {2}${name}[:,]`, 'm').test(program))).toEqual([]);
});
