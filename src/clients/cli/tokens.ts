import { Option, type Command } from 'commander';
import { ACCOUNT_ROLES, UPLOADING_ROLES } from '../../accounts/account.js';
import { createToken, type NewToken, revokeToken } from '../../accounts/manage-tokens.js';
import { listTokens } from '../../accounts/token-records.js';
import { readConfig } from '../../config/read-config.js';
import { refuseWhileErased } from './accounts.js';
import { tellAudit } from './audit.js';
import { withLogIfAny } from './connections.js';
import { accountOption, timeZoneOption } from './options.js';
import { CommandError, type Output } from './terminal.js';

export function addTokenCommands(program: Command, terminal: Output): void {
  const tokens = program.command('tokens').description('API tokens of accounts');

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
    .action(async ({ account, role, timeZone }: NewToken) => {
      const config = readConfig(terminal.env);
      await withLogIfAny(config, async (log) => {
        if (log !== undefined) await refuseWhileErased(log, account);
        const { id, token } = await createToken(config.tokensFile, { account, role, timeZone });
        terminal.result({ id, token, account, role, timeZone }, `${token}\n`);
        terminal.hint(`token ${id} for ${account}; it is not shown again\n`);
        if (!UPLOADING_ROLES.has(role)) {
          terminal.hint(
            `the role ${role} may not upload; ${[...UPLOADING_ROLES].join(' and ')} may\n`,
          );
        }
        await tellAudit(log, terminal, 'create-token', account, id);
      });
    });

  tokens
    .command('list')
    .description('list every token, without the token itself')
    .action(async () => {
      const records = await listTokens(readConfig(terminal.env).tokensFile);
      terminal.results(
        // Without the hash.
        records.map(({ id, account, role, timeZone, createdAt, revokedAt }) => {
          return { id, account, role, timeZone, createdAt, revokedAt: revokedAt ?? null };
        }),
        ['ID', 'ACCOUNT', 'ROLE', 'TIME ZONE', 'CREATED', 'REVOKED'],
        ({ id, account, role, timeZone, createdAt, revokedAt }) => {
          return [id, account, role, timeZone, createdAt, revokedAt ?? '-'];
        },
      );
    });

  tokens
    .command('revoke')
    .description('revoke a token for good')
    .argument('<id>', 'as `tokens list` shows it')
    .action(async (id: string) => {
      const config = readConfig(terminal.env);
      const revoked = await revokeToken(config.tokensFile, id);
      if (revoked === undefined) {
        // Not repeated here: it might be a token given in place of its identifier.
        throw new CommandError('no token has this id; `custom-data tokens list` shows the ids');
      }
      terminal.hint(`revoked token ${id} of ${revoked.account}\n`);
      await withLogIfAny(config, (log) =>
        tellAudit(log, terminal, 'revoke-token', revoked.account, id),
      );
    });
}
