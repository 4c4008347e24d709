import { readFileSync } from 'node:fs';

/** A page of `docs`, with the parts that tests look at. */
export class Page {
  readonly text: string;

  constructor(name: string) {
    this.text = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
  }

  /** The cells of the first table below a line of the page, without the header row. */
  tableUnder(line: string): string[][] {
    const below = this.text.split(`\n${line}\n`)[1];
    const [table] = /(?:^\|.*\n)+/m.exec(below ?? '') ?? [];
    if (table === undefined) throw new Error(`no table under "${line}"`);
    return rowsOf(table).slice(1);
  }

  /** The fenced blocks in the order of the page. */
  fences(): { readonly language: string; readonly content: string }[] {
    return [...this.text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, content]) => ({
      language: language!,
      content: content!,
    }));
  }
}

/** The rows of a Markdown table, header first. */
export function rowsOf(table: string): string[][] {
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  return rows.filter((_, index) => index !== 1);
}

/** The text of a cell, without the backticks of code. */
export function code(cell: string): string {
  return /^`(.*)`$/.exec(cell)?.[1] ?? cell;
}
