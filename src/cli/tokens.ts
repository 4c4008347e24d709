import { Option, type Command } from 'commander';
import { ACCOUNT_ROLES, UPLOADING_ROLES, type AccountRole } from '../accounts/account.js';
import { createToken, listTokens, revokeToken } from '../accounts/token-store.js';
import { readConfig } from '../config/read-config.js';
import { accountOption, timeZoneOption } from './options.js';
import { CommandError, table, type Terminal } from './terminal.js';

interface CreateOptions {
  readonly account: string;
  readonly role: AccountRole;
  readonly timeZone: string;
}

export function addTokenCommands(program: Command, terminal: Terminal): void {
  const tokens = program.command('tokens').description('API tokens of accounts');
  const file = (): string => readConfig(terminal.env).tokensFile;

  tokens
    .command('create')
    .description('create a token and print it, this once')
    .addOption(accountOption('whose token it is').makeOptionMandatory())
    .addOption(
      new Option('--role <role>', 'what the account is allowed')
        .choices(ACCOUNT_ROLES)
        .makeOptionMandatory(),
    )
    .addOption(timeZoneOption('where the days of the account begin and end'))
    .action(async (options: CreateOptions) => {
      const { id, token } = await createToken(file(), options);
      terminal.out(`${token}\n`);
      terminal.hint(`token ${id} for ${options.account}; it is not shown again\n`);
      if (!UPLOADING_ROLES.has(options.role)) {
        terminal.hint(`the role ${options.role} may not upload; ${rolesThatMay()} may\n`);
      }
    });

  tokens
    .command('list')
    .description('list every token, without the token itself')
    .action(async () => {
      const records = await listTokens(file());
      terminal.out(
        table(
          ['ID', 'ACCOUNT', 'ROLE', 'TIME ZONE', 'CREATED', 'REVOKED'],
          records.map(({ id, account, role, timeZone, createdAt, revokedAt }) => {
            return [id, account, role, timeZone, createdAt, revokedAt ?? '-'];
          }),
        ),
      );
    });

  tokens
    .command('revoke')
    .description('revoke a token for good')
    .argument('<id>', 'as `tokens list` shows it')
    .action(async (id: string) => {
      const revoked = await revokeToken(file(), id);
      if (revoked === undefined) {
        // Not repeated here: it might be a token that was given in place of its identifier.
        throw new CommandError('no token has this id; `custom-data tokens list` shows the ids');
      }
      terminal.hint(`revoked token ${id} of ${revoked.account}\n`);
    });
}

function rolesThatMay(): string {
  return [...UPLOADING_ROLES].join(' and ');
}
