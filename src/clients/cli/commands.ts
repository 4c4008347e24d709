import type { Command } from 'commander';
import { addAccountCommands } from './accounts.js';
import { addAuditCommand } from './audit.js';
import { addDeadLetterCommands } from './dead-letter.js';
import { addMetricCommands } from './metrics.js';
import { addMigrateCommand } from './migrate.js';
import { addReplayCommand } from './replay.js';
import { runProgram } from './program.js';
import type { Output, Terminal } from './terminal.js';
import { addTokenCommands } from './tokens.js';
import { addClientCommands } from './client-commands.js';

/**
 * Runs a command of upload clients or operators.
 *
 * @param args without the program's own name
 * @returns the exit code (see `runProgram`)
 */
export function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const description = 'upload custom data, and operate the service that takes it';
  return runProgram(description, addCommands, args, terminal);
}

export function addCommands(program: Command, output: Output): void {
  addClientCommands(program, output);
  addTokenCommands(program, output);
  addMetricCommands(program, output);
  addDeadLetterCommands(program, output);
  addReplayCommand(program, output);
  addAccountCommands(program, output);
  addAuditCommand(program, output);
  addMigrateCommand(program, output);
}
