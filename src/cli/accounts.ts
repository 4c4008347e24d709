import type { Command } from 'commander';
import { removeTokensOf } from '../accounts/token-store.js';
import { readConfig } from '../config/read-config.js';
import { lastVersionAt, timeOfVersion } from '../domain/version.js';
import { erasureRecord, orderErasure } from '../erasure/account-erasure.js';
import { ErasedAccounts } from '../erasure/erased-accounts.js';
import type { UploadLog } from '../log/upload-log.js';
import { withLog } from './connections.js';
import { operator } from './operator.js';
import { accountName } from './options.js';
import { CommandError, type Terminal } from './terminal.js';
import { clockAbove } from './version-clock.js';

const OF_KAFKA =
  "Kafka deletes the oldest records only: what was uploaded before the account's last upload, by any " +
  'account, is kept in the reports and can no longer be replayed. Make a new backup afterwards: one ' +
  'of before cannot be completed from the log any more.\n';
const NO_TOKENS =
  'this tokens file has no token of the account: where gateways read another one, take it out there first\n';

export function addAccountCommands(program: Command, terminal: Terminal): void {
  const accounts = program.command('accounts').description('accounts as a whole');

  accounts
    .command('erase')
    .description('delete all that is stored of an account, and its tokens; nothing brings it back')
    .argument('<account>', 'whose rows, requests and tokens are to go', accountName)
    .option('--yes', 'do not ask for the name again')
    .action(async (account: string, { yes = false }: { yes?: boolean }) => {
      const config = readConfig(terminal.env);
      if (config.kafka !== undefined) terminal.hint(OF_KAFKA);
      if (!yes) await confirm(terminal, account);
      const { tokens, erasure } = await withLog(config, async (log) => {
        // In this order: an upload that begins now is refused, or covered by the order.
        const removed = await removeTokensOf(config.tokensFile, account);
        const clock = await clockAbove(log, config.limits.logTimeoutMs);
        const order = orderErasure(account, operator(), Date.now(), clock.next(), config.limits);
        await log.append('control', [erasureRecord(order)]);
        return { tokens: removed, erasure: order };
      });
      if (tokens === 0) terminal.hint(NO_TOKENS);
      const until = new Date(timeOfVersion(erasure.version)).toISOString();
      terminal.hint(
        `${tokens} ${tokens === 1 ? 'token' : 'tokens'} of ${account} deleted; the rest goes as ` +
          `soon as the service has read this, and what was under way after ${until}\n`,
      );
    });
}

/** @throws CommandError for an upload of an account that was erased after it */
export async function refuseErased(
  log: UploadLog,
  requestId: string,
  account: string,
  version: bigint,
): Promise<void> {
  if ((await ErasedAccounts.inLog(log)).covers(account, version)) {
    throw new CommandError(`the upload ${requestId} was erased with its account ${account}`);
  }
}

/** @throws CommandError for an account whose uploads of now would be erased too */
export async function refuseWhileErased(log: UploadLog, account: string): Promise<void> {
  if ((await ErasedAccounts.inLog(log)).covers(account, lastVersionAt(Date.now()))) {
    throw new CommandError(
      `${account} is being erased, and so would be what is uploaded now; create the token in some minutes`,
    );
  }
}

async function confirm(terminal: Terminal, account: string): Promise<void> {
  const answer = await terminal.ask?.(
    `Everything of ${account} will be deleted. Type the account's name to go on: `,
  );
  if (answer === undefined) throw new CommandError('nobody is here to confirm it; see --yes');
  if (answer !== account) throw new CommandError('nothing was erased: that is another name');
}
