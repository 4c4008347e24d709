import { createInterface } from 'node:readline/promises';
import { CommandError, INTERRUPTED, type Terminal } from './terminal.js';

/** The standard streams of this process. */
export function processTerminal(): Terminal {
  const { stdin, stderr } = process;
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    hint: (text) => void stderr.write(text),
    ...(stdin.isTTY && { ask: (question) => askOn(stdin, stderr, question) }),
    ...(stderr.isTTY && { columns: stderr.columns }),
  };
}

/** @throws CommandError when the answer is Ctrl-C or the end of the input */
export async function askOn(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: string,
): Promise<string> {
  const terminal = createInterface({ input, output });
  const closed = new AbortController();
  // Ctrl-C closes it. Some versions of Node.js then leave the question open, and end with 13.
  terminal.once('close', () => {
    closed.abort();
  });
  try {
    return (await terminal.question(question, { signal: closed.signal })).trim();
  } catch (error) {
    if (closed.signal.aborted) throw new CommandError('interrupted', INTERRUPTED);
    throw error;
  } finally {
    terminal.close();
  }
}
