import { link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { startProgram } from '../program.js';
import { AMBIGUOUS, CONVERTED, ConvertFolder, GERMAN } from './converting.js';

let folder: ConvertFolder;
beforeAll(async () => {
  folder = await ConvertFolder.make();
});
afterEach(() => folder.clear());
afterAll(() => folder.remove());

describe('the output', () => {
  test('replaces another file only by its name', async () => {
    await writeFile(folder.output, 'x');
    const { code, out, err } = await folder.convert(GERMAN, ['--yes']);
    const message = 'file.converted.csv is there already: name it with --output to replace it';
    expect([code, out, err]).toEqual([2, '', `error: ${message}\n`]);
    expect(await folder.written()).toBe('x');
    const named = await folder.convert(GERMAN, ['--output', folder.output], ['y']);
    expect([named.code, named.asked]).toEqual([0, ['Replace file.converted.csv? [y/N] ']]);
    expect(await folder.written()).toBe(CONVERTED);
  });

  test('is written by its name even when the file is valid as it is', async () => {
    await writeFile(folder.output, 'of yesterday');
    const { code, out, err } = await folder.convert(CONVERTED, [
      '--yes',
      '--output',
      folder.output,
    ]);
    expect([code, out]).toEqual([0, 'file.csv: 2 rows, valid as it is\n']);
    expect(err).toBe('wrote file.converted.csv\n');
    expect(await folder.written()).toBe(CONVERTED);
  });

  test('is never the file itself', async () => {
    const other = join(folder.path, 'other.csv');
    await writeFile(folder.input, '');
    await link(folder.input, other);
    for (const own of [folder.input, other]) {
      const { code, err } = await folder.convert(GERMAN, ['--yes', '--output', own]);
      expect([code, err]).toEqual([2, expect.stringContaining('is the file itself')]);
    }
    expect(await readFile(folder.input, 'utf8')).toBe(GERMAN);
  });

  test('is no folder, and is in one that is there', async () => {
    const deep = join(folder.path, 'deep');
    const missing = await folder.convert(GERMAN, ['--yes', '--output', join(deep, 'x.csv')]);
    const error = 'error: deep/x.csv cannot be written: ENOENT\n';
    expect([missing.code, missing.err]).toEqual([1, error]);
    await mkdir(deep);
    const taken = await folder.convert(GERMAN, ['--yes', '--output', deep]);
    expect([taken.code, taken.err]).toEqual([2, 'error: deep is a folder\n']);
  });

  test('is named when the file comes from standard input', async () => {
    const unnamed = await startProgram({}, ['convert', '-'], GERMAN).outcome;
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('give --output')]);
    const args = ['convert', '-', '--output', folder.output, '--yes'];
    const named = await startProgram({}, args, GERMAN).outcome;
    expect([named.code, named.err]).toEqual([0, `wrote ${folder.output}\n`]);
    expect(await folder.written()).toBe(CONVERTED);
  });
});

describe('the family', () => {
  test('is that of the columns, unless it is given', async () => {
    const metrics = 'Date;Channel;Event_Category;Event_Value\n1.2.2026;a;Visits;1,5\n';
    const found = await folder.convert(metrics, ['--yes', '--json']);
    expect(JSON.parse(found.out)).toMatchObject({ family: 'self-serve' });
    await folder.clear();
    const given = await folder.convert(metrics, ['--yes', '--json', '--family', 'cost']);
    expect(JSON.parse(given.out)).toMatchObject({ family: 'cost', isValid: false });
  });

  test('has to be given when the columns do not tell it', async () => {
    const { code, err } = await folder.convert('Date;Channel\n', ['--yes']);
    const message = 'the column names of file.csv do not tell its family: give --family';
    expect([code, err]).toEqual([2, `error: ${message}\n`]);
  });
});

test('as JSON the result has what changes, what is asked and what is wrong', async () => {
  const { out } = await folder.convert(GERMAN, ['--yes', '--json']);
  const result = JSON.parse(out) as Record<string, unknown>;
  expect(result).toMatchObject({
    ...{ file: 'file.csv', family: 'cost', rows: 2, encoding: 'UTF-8', separator: 'semicolon' },
    ...{ questions: [], isValid: true, wrongRows: 0, reason: {}, output: 'file.converted.csv' },
  });
  expect((result['changes'] as unknown[])[4]).toEqual({
    what: 'numbers',
    column: 'cost',
    text: 'written with a decimal point, without separators of thousands',
    count: 2,
    examples: [
      { row: 2, before: '1,5', after: '1.5' },
      { row: 3, before: '2.345,5', after: '2345.5' },
    ],
  });
  await folder.clear();
  const open = await folder.convert(AMBIGUOUS, ['--json']);
  expect(JSON.parse(open.out)).toMatchObject({
    ...{ questions: [{ asks: 'dates' }, { asks: 'decimal' }], isValid: null, wrongRows: null },
    ...{ reason: {}, output: null },
  });
});

test('a typing error ends with 2', async () => {
  const { code, err } = await folder.convert(GERMAN, ['--decimal', 'dot']);
  expect([code, err]).toEqual([2, expect.stringContaining('Allowed choices are comma, point')]);
  expect((await folder.convert(GERMAN, ['--date', 'x'])).err).toContain('Did you mean --dates?');
});
