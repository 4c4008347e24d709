import { readFileSync } from 'node:fs';

/** A fenced block of a page. */
export interface Fence {
  readonly language: string;
  readonly content: string;
  /** Why no test runs it: the comment `not run: …` before it. */
  readonly notRun: string | undefined;
}

const FENCE = /(?:^<!-- not run: ([^\n]+) -->\n\n?)?^```(\w+)\n(.*?)^```$/gms;

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
  fences(): Fence[] {
    return [...this.text.matchAll(FENCE)].map(([, notRun, language, content]) => ({
      language: language!,
      content: content!,
      notRun,
    }));
  }
}

/**
 * The only block of the page that contains `part`. The test of all blocks finds this call in the
 * source of a test, so both arguments are literals.
 */
export function snippet(page: string, part: string): string {
  const [found, ...others] = new Page(page)
    .fences()
    .filter(({ content }) => content.includes(part));
  if (found === undefined) throw new Error(`no block of ${page} contains ${part}`);
  if (others.length > 0) throw new Error(`several blocks of ${page} contain ${part}`);
  return found.content;
}

/** Every block of the page in this language. The arguments are literals, as for `snippet`. */
export function snippets(page: string, language: string): string[] {
  const found = new Page(page).fences().filter((fence) => fence.language === language);
  if (found.length === 0) throw new Error(`${page} has no block in ${language}`);
  return found.map(({ content }) => content);
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
