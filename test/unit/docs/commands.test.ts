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
  const texts = [...inBlocks, ...inText];
  const named = (pattern: RegExp): string[] =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!));
  const ofNpm = named(/\bnpm run ([\w:]+)/g);
  expect(ofNpm.length).toBeGreaterThan(20);
  expect(ofNpm.filter((name) => !(name in scripts))).toEqual([]);
  const sourceOf = (path: string): string =>
    path.replace(/^dist\/(.*)\.js$/, (_, name: string) => `src/${name}.ts`);
  const files = [
    ...named(/\bnode ((?:scripts|dist|docs)\/[\w./-]+)/g).map(sourceOf),
    ...named(/\bnpm test -- (test\/[\w./-]+)/g),
  ];
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((path) => !existsSync(ROOT + path))).toEqual([]);
});
