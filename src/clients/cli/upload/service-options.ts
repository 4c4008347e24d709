import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { UploadClient } from '../../api/index.js';
import { FAMILIES, type FamilyName } from '../../../domain/families/index.js';
import { secondsOf } from '../options.js';
import { CommandError, type Terminal } from '../terminal.js';

/** The service that a command calls, and its token. */
export interface ServiceOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly retryFor: number;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';
const RETRY_FOR_SECONDS = 300;

export function familyOption(): Option {
  return new Option('--family <family>', 'which kind of data it is')
    .choices(FAMILIES.map(({ name }): FamilyName => name))
    .makeOptionMandatory();
}

/**
 * There is no option for the token itself: every user of a machine sees the arguments of its
 * processes.
 */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--url <url>', `where the service is (or CUSTOM_DATA_URL; default ${DEFAULT_URL})`)
    .option('--token-file <path>', 'a file with the API token (or CUSTOM_DATA_TOKEN, the token)')
    .addOption(
      new Option('--retry-for <seconds>', 'how long to try again while the service does not answer')
        .default(RETRY_FOR_SECONDS)
        .argParser(secondsOf),
    );
}

/** @throws CommandError 2 */
export function connectionOf(
  { url: given, tokenFile, retryFor }: ServiceOptions,
  { env }: Terminal,
): { readonly client: UploadClient; readonly url: string; readonly token: string } {
  const url = given ?? env['CUSTOM_DATA_URL'] ?? DEFAULT_URL;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CommandError(`${url} is not the address of a service, such as ${DEFAULT_URL}`, 2);
  }
  const token = tokenOf(tokenFile, env['CUSTOM_DATA_TOKEN']);
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    throw new CommandError('there is no API token: set CUSTOM_DATA_TOKEN, or give --token-file', 2);
  }
  const client = new UploadClient({ baseUrl: url, token, retryForMs: 1_000 * retryFor });
  return { client, url, token };
}

function tokenOf(
  path: string | undefined,
  fromEnvironment: string | undefined,
): string | undefined {
  if (path === undefined) return fromEnvironment?.trim();
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`the token file ${path} cannot be read: ${code ?? 'unknown'}`, 2);
  }
}
