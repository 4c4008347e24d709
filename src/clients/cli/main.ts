import { run } from './commands.js';
import { end, processTerminal } from './process-terminal.js';

const code = await run(process.argv.slice(2), processTerminal());
// Nothing that a library has left open is to keep the process alive.
await end(code);
