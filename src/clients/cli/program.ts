import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../../config/config.js';
import { messageOf } from '../../domain/failure.js';
import { UploadClientError } from '../api/index.js';
import {
  CommandError,
  type Output,
  outputOf,
  printableLine,
  type Terminal,
  UNREACHABLE,
} from './terminal.js';

const DONE = 0;
const FAILURE = 1;
const USAGE = 2;

/** The version of the package that this file belongs to. */
function version(): string {
  const path = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

/**
 * Runs one command of a command line tool.
 *
 * @param add adds the tool's commands
 * @param args without the program's own name
 * @returns the exit code: 0; 1 when the command could not be carried out; 2 when it or the
 *   environment is not understood, or a server refuses for good; 3 when something that it needs does not answer; 130 when it was
 *   interrupted. Errors are one line on standard error.
 */
export async function runProgram(
  description: string,
  add: (program: Command, output: Output) => void,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const program = new Command('custom-data')
    .description(description)
    .version(version())
    .option('--json', 'print results as JSON, one object a line')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        terminal.out(text);
      },
      writeErr: (text) => {
        terminal.hint(text);
      },
      // A suggestion stands on a line of its own otherwise.
      outputError: (text, write) => {
        write(`${text.trim().replaceAll('\n', ' ')}\n`);
      },
    });
  add(
    program,
    outputOf(terminal, () => program.opts<{ json?: true }>().json === true),
  );
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USAGE;
    terminal.hint(`error: ${printableLine(messageOf(error).split('\n', 1)[0]!)}\n`);
    if (error instanceof CommandError) return error.exitCode;
    if (error instanceof UploadClientError && error.isPassing) return UNREACHABLE;
    return error instanceof ConfigError ? USAGE : FAILURE;
  }
}
