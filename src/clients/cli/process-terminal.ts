import { createInterface } from 'node:readline/promises';
import { CommandError, INTERRUPTED, type Terminal } from './terminal.js';

/** The standard streams of this process. A reader that leaves, such as `head`, ends no command. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe);
  return {
    env: process.env,
    out: (text) => void stdout.write(text),
    hint: (text) => void stderr.write(text),
    ...(stdin.isTTY && { ask: (question) => askOn(stdin, stderr, question) }),
    ...(stderr.isTTY && { columns: stderr.columns }),
  };
}

/** Ends the process at once, but not before its readers have what it has written. */
export async function end(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write('', resolve));
  }
  process.exit(code);
}

/**
 * Runs work that Ctrl-C ends by its signal. A second Ctrl-C ends the process at once.
 *
 * @throws CommandError when the work fails after Ctrl-C, otherwise what the work throws
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    interrupted.abort();
  };
  process.once('SIGINT', interrupt);
  try {
    return await work(interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) throw new CommandError('interrupted', INTERRUPTED);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
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
