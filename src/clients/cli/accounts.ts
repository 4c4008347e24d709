import type { Command } from 'commander';
import { removeTokensOf } from '../../accounts/manage-tokens.js';
import { readConfig } from '../../config/read-config.js';
import { erasedRecords } from '../../log/uploads/dead-letter.js';
import { lastVersionAt, timeOfVersion } from '../../domain/version.js';
import { erasureRecord, orderErasure } from '../../operator/erasure/account-erasure.js';
import { ErasedAccounts } from '../../operator/erasure/erased-accounts.js';
import { keptInLog, type KeptInLog } from '../../operator/erasure/kept-in-log.js';
import { type Topic, TOPICS, type UploadLog } from '../../log/upload-log.js';
import { withLog } from './connections.js';
import { actor } from './actor.js';
import { accountName } from './options.js';
import { CommandError, type Output, type Terminal } from './terminal.js';
import { clockAbove } from './version-clock.js';

const NO_TOKENS =
  'this tokens file has no token of the account: where gateways read another one, take it out there first\n';

interface EraseOptions {
  readonly yes?: boolean;
  readonly ignoreEndlessRetention?: boolean;
}

export function addAccountCommands(program: Command, terminal: Output): void {
  const accounts = program.command('accounts').description('accounts as a whole');

  accounts
    .command('erase')
    .description('delete all that is stored of an account, and its tokens; nothing brings it back')
    .argument('<account>', 'whose rows, requests and tokens are to go', accountName)
    .option('--yes', 'do not ask for the name again')
    .option(
      '--ignore-endless-retention',
      'go on although a topic keeps its records for ever; what it has of the account stays there',
    )
    .action(async (account: string, options: EraseOptions) => {
      const { yes = false, ignoreEndlessRetention = false } = options;
      const config = readConfig(terminal.env);
      if (!yes) await confirm(terminal, account);
      const { tokens, erasure, kept } = await withLog(config, async (log) => {
        const inLog = await keptInLog(log);
        if (!ignoreEndlessRetention) refuseEndless(account, inLog);
        // In this order: an upload that begins now is either refused or covered by the order.
        const removed = await removeTokensOf(config.tokensFile, account);
        const clock = await clockAbove(log, config.limits.logTimeoutMs);
        const order = orderErasure(account, actor(), Date.now(), clock.next(), config.limits);
        await log.appendInOrder([
          { topic: 'control', records: [erasureRecord(order)] },
          {
            topic: 'dead-letter',
            records: erasedRecords(account, order.version, log.partitions('dead-letter')),
          },
        ]);
        return { tokens: removed, erasure: order, kept: inLog };
      });
      if (tokens === 0) terminal.hint(NO_TOKENS);
      const lastUploadAt = timeOfVersion(erasure.version);
      const until = new Date(lastUploadAt).toISOString();
      terminal.hint(
        `${tokens} ${tokens === 1 ? 'token' : 'tokens'} of ${account} deleted; rows and requests go as ` +
          `soon as the service has read this, and what was under way after ${until}\n`,
      );
      terminal.hint(keptText(account, kept, lastUploadAt, config.kafka === undefined));
      const goneAt = kept.forEver.length === 0 ? new Date(lastUploadAt + kept.ms) : undefined;
      const goneFromLogAt = goneAt?.toISOString() ?? null;
      terminal.result({ account, tokens, erasedUntil: until, goneFromLogAt }, '');
    });
}

/** @throws CommandError for an account whose current uploads would be erased too */
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

/** @throws CommandError when a topic keeps its records for ever, which only Kafka does */
function refuseEndless(account: string, { forEver }: KeptInLog): void {
  if (forEver.length === 0) return;
  throw new CommandError(
    `nothing was erased: records of ${account} would stay for ever in ${topicNames(forEver)}; ` +
      'set retention.ms and segment.ms of it first, or leave them there with --ignore-endless-retention',
  );
}

/** @param lastUploadAt when the last upload that is erased may end, milliseconds since the epoch */
function keptText(
  account: string,
  { forEver, ms }: KeptInLog,
  lastUploadAt: number,
  isEmbedded: boolean,
): string {
  const stays =
    forEver.length === 0 ? '' : `records of ${account} stay for ever in ${topicNames(forEver)}\n`;
  if (forEver.length === TOPICS.length) return stays;
  const goneAt = new Date(lastUploadAt + ms).toISOString();
  // The embedded log deletes nothing that is not processed.
  const provided = isEmbedded ? ', if the service runs and has processed them by then' : '';
  return `${stays}the last of these records leaves the log by ${goneAt}${provided}\n`;
}

function topicNames(topics: readonly Topic[]): string {
  return topics.map((topic) => `custom-data.${topic}`).join(', ');
}
