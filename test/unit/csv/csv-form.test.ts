import { expect, test } from '@jest/globals';

import { Kernel } from '../../../src/csv/kernel/kernel.js';
import { CsvScanner } from '../../../src/csv/csv-scanner.js';
import { RowFault } from '../../../src/csv/kernel/codes.js';
import { scan } from './scan.js';

test.each<[name: string, text: string, rows: string[][]]>([
  [
    'fields between commas',
    'a,b\nc,d\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a file without a final line break',
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['CRLF and LF in one file', 'a\r\nb\nc\r\n', [['a'], ['b'], ['c']]],
  ['empty fields at every place', ',,\n', [['', '', '']]],
  ['a comma at the very end', 'a,', [['a', '']]],
  ['a quoted field', '"a"', [['a']]],
  ['an empty quoted field', '"",""\n', [['', '']]],
  ['commas and line breaks in quotes', '"a,b","c\nd","e\r\nf"\n', [['a,b', 'c\nd', 'e\r\nf']]],
  ['a bare carriage return in quotes', '"a\rb"\n', [['a\rb']]],
  ['doubled quotes', '"a""b","""","""""",""""""""\n', [['a"b', '"', '""', '"""']]],
  ['doubled quotes at the ends of a field', '"""a"",""b""",c\n', [['"a","b"', 'c']]],
  ['a quoted field before CRLF', '"a"\r\n"b"\r\n', [['a'], ['b']]],
  ['a quoted field at the end of the file', 'a,"b"', [['a', 'b']]],
  ['characters of many bytes', 'é,日本,😀\n', [['é', '日本', '😀']]],
  ['spaces around a value, which belong to it', ' a , b \n', [[' a ', ' b ']]],
  ['an empty line in the middle, which is a row', 'a\n\nb\n', [['a'], [''], ['b']]],
  ['one empty last line, which is not', 'a\n\n', [['a']]],
  ['one empty last line ended by CRLF', 'a\r\n\r\n', [['a']]],
  ['of two empty last lines only one', 'a\n\n\n', [['a'], ['']]],
  ['a quoted empty last line, which is a row', 'a\n""\n', [['a'], ['']]],
  ['an empty file', '', []],
  ['a file of one empty line', '\n', []],
])('reads %s', (_name, text, rows) => {
  expect(scan(text)).toEqual(rows.map((fields) => ({ fields, fault: RowFault.none })));
});

test.each<[name: string, text: string, fault: number]>([
  ['a quote inside a bare field', 'a"b,c\n', RowFault.strayQuote],
  ['a quote at the end of a bare field', 'a",c\n', RowFault.strayQuote],
  ['a quoted field with a space before it', 'a, "b"\n', RowFault.strayQuote],
  ['text after a closing quote', '"a"b,c\n', RowFault.textAfterQuote],
  ['a space after a closing quote', '"a" ,c\n', RowFault.textAfterQuote],
  ['a quote that is not doubled', '"a"b"\n', RowFault.textAfterQuote],
  ['a carriage return after a closing quote', '"a"\r,b\n', RowFault.textAfterQuote],
  ['a carriage return after a closing quote, last', '"a"\r', RowFault.textAfterQuote],
  ['an unclosed quote', 'a,"b\n', RowFault.unclosedQuote],
  ['an unclosed quote that ends in a doubled one', '"a""', RowFault.unclosedQuote],
  ['a lone quote', '"', RowFault.unclosedQuote],
  ['a bare carriage return', 'a\rb\n', RowFault.bareCarriageReturn],
  ['a bare carriage return as line break', 'a\rb\rc', RowFault.bareCarriageReturn],
  ['a bare carriage return at the end', 'a,b\r', RowFault.bareCarriageReturn],
  ['a carriage return before CRLF', 'a\r\r\n', RowFault.bareCarriageReturn],
  ['a file of one carriage return', '\r', RowFault.bareCarriageReturn],
])('finds %s', (_name, text, fault) => {
  expect(scan(text)[0]!.fault).toBe(fault);
});

test('a fault concerns its row alone when the row still ends at its line break', () => {
  expect(scan('a"b\nc,d\n"e"f,g\n"h",i\n').map(({ fault }) => fault)).toEqual([
    RowFault.strayQuote,
    RowFault.none,
    RowFault.textAfterQuote,
    RowFault.none,
  ]);
});

test('fields beyond the capacity are counted and not written', () => {
  const scanner = new CsvScanner(new Kernel(), 2);
  scanner.open([Buffer.from('a,b,c,d\ne\n')]);
  expect(scanner.next()).toBe(4);
  expect([...scanner.starts]).toEqual([0, 2]);
  expect([...scanner.ends]).toEqual([1, 3]);
  expect(scanner.values()).toHaveLength(2);
  expect(scanner.next()).toBe(1);
});
