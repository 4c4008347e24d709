import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.js';

/** The standard streams of this process. */
export function processTerminal(): Terminal {
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    hint: (text) => void process.stderr.write(text),
    ...(process.stdin.isTTY && { ask }),
    ...(process.stderr.isTTY && { columns: process.stderr.columns }),
  };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
