#!/usr/bin/env node
import { addClientCommands } from './client-commands.js';
import { end, processTerminal } from './process-terminal.js';
import { runProgram } from './program.js';

// The command of the package for upload clients, which has nothing of the service.
const code = await runProgram(
  'upload custom data',
  addClientCommands,
  process.argv.slice(2),
  processTerminal(),
);
await end(code);
