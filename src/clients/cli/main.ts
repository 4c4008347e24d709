import { run } from './commands.js';
import { processTerminal } from './process-terminal.js';

const code = await run(process.argv.slice(2), processTerminal());
// At once: nothing that a library has left open is to keep the process alive.
process.exit(code);
