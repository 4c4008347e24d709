/** Where a command writes and what it reads of its surroundings. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: the result alone, so that it can be piped. */
  out(text: string): void;
  /** Standard error: hints and errors. */
  hint(text: string): void;
  /** Asks whoever sits at the terminal for one line; absent: nobody does. */
  readonly ask?: (question: string) => Promise<string>;
  /** How wide the terminal is that shows standard error; absent: nobody is looking. */
  readonly columns?: number;
}

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

/** Left-aligned columns, two blanks apart. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
