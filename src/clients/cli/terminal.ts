/** Where a command writes, and what it reads of its environment. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: the result alone, so that it can be piped. */
  out(text: string): void;
  /** Standard error: hints and errors. */
  hint(text: string): void;
  /**
   * Asks the person at the terminal for one line; absent: there is nobody. Rejects with a
   * CommandError when the answer is Ctrl-C or the end of the input.
   */
  readonly ask?: (question: string) => Promise<string>;
  /** The width of the terminal that shows standard error; absent: it is no terminal. */
  readonly columns?: number;
}

/** The terminal of a command, with the results in the form that was asked for. */
export interface Output extends Terminal {
  /** Prints one result to standard output: `text`, or with --json the value on one line. */
  result(value: object, text: string): void;
  /** The same for a list: a table, or one line of JSON for each item. */
  results<Item extends object>(
    items: readonly Item[],
    head: readonly string[],
    row: (item: Item) => readonly string[],
  ): void;
}

export function outputOf(terminal: Terminal, isJson: () => boolean): Output {
  const json = (value: object): string => `${JSON.stringify(value)}\n`;
  return {
    ...terminal,
    result: (value, text) => {
      terminal.out(isJson() ? json(value) : printable(text));
    },
    results: (items, head, row) => {
      terminal.out(isJson() ? items.map(json).join('') : table(head, items.map(row)));
    },
  };
}

/** A text without control characters: a terminal would obey those that come from a file. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, '\ufffd');
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A printable text that is one line: a value with a line break could pass for a line of its own. */
export function printableLine(text: string): string {
  return printable(text.replace(/[\t\n\r]/g, (character) => ESCAPES[character]!));
}

/** Each of them is one line, whatever values of a file it has. */
export function textOfLines(lines: readonly string[]): string {
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

/** Something that the command needs does not answer. Trying later may help. */
export const UNREACHABLE = 3;

/** The person at the terminal has ended the command. */
export const INTERRUPTED = 130;

/** The command cannot be carried out. The message is one line for the operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** Left-aligned columns, two blanks apart. Each row is one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(printableLine));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
