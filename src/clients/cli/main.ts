import { createInterface } from 'node:readline/promises';
import { run } from './program.js';

const code = await run(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  hint: (text) => void process.stderr.write(text),
  ...(process.stdin.isTTY && { ask }),
  ...(process.stderr.isTTY && { columns: process.stderr.columns }),
});
// At once: nothing that a library has left open is to keep the process alive.
process.exit(code);

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
