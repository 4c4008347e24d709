import { Command, CommanderError } from 'commander';
import { ConfigError } from '../../config/read-config.js';
import { addAccountCommands } from './accounts.js';
import { addAuditCommand } from './audit.js';
import { addDeadLetterCommands } from './dead-letter.js';
import { addMetricCommands } from './metrics.js';
import { addMigrateCommand } from './migrate.js';
import { addReplayCommand } from './replay.js';
import { addStatusCommand } from './status.js';
import { CommandError, type Terminal } from './terminal.js';
import { addTokenCommands } from './tokens.js';
import { addUploadCommand } from './upload.js';
import { addValidateCommand } from './validate.js';

const DONE = 0;
const FAILURE = 1;
const USAGE = 2;

/**
 * Runs one command of the command line tool.
 *
 * @param args without the program's own name
 * @returns the exit code: 0, 1 when the command could not be carried out, 2 when it or the
 *   environment is not understood, 130 when it was interrupted. Errors are one line on standard
 *   error.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('custom-data')
    .description('upload custom data, and operate the service that takes it')
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
  addUploadCommand(program, terminal);
  addValidateCommand(program, terminal);
  addStatusCommand(program, terminal);
  addTokenCommands(program, terminal);
  addMetricCommands(program, terminal);
  addDeadLetterCommands(program, terminal);
  addReplayCommand(program, terminal);
  addAccountCommands(program, terminal);
  addAuditCommand(program, terminal);
  addMigrateCommand(program, terminal);
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USAGE;
    terminal.hint(`error: ${oneLine(error)}\n`);
    if (error instanceof CommandError) return error.exitCode;
    return error instanceof ConfigError ? USAGE : FAILURE;
  }
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? message;
}
