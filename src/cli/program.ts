import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/read-config.js';
import { addDeadLetterCommands } from './dead-letter.js';
import { addMetricCommands } from './metrics.js';
import { addMigrateCommand } from './migrate.js';
import type { Terminal } from './terminal.js';
import { addTokenCommands } from './tokens.js';

const DONE = 0;
const FAILURE = 1;
const USAGE = 2;

/**
 * Runs one command of the command line tool.
 *
 * @param args without the program's own name
 * @returns the exit code: 0, 1 when the command could not be carried out, 2 when it or the
 *   environment is not understood. Both errors are one line on standard error.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('custom-data')
    .description('operate the custom data upload service')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => {
        terminal.out(text);
      },
      writeErr: (text) => {
        terminal.hint(text);
      },
    });
  addTokenCommands(program, terminal);
  addMetricCommands(program, terminal);
  addDeadLetterCommands(program, terminal);
  addMigrateCommand(program, terminal);
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USAGE;
    terminal.hint(`error: ${oneLine(error)}\n`);
    return error instanceof ConfigError ? USAGE : FAILURE;
  }
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? message;
}
