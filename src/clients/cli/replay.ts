import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../config/config.js';
import { readConfig } from '../../config/read-config.js';
import { isUuid } from '../../domain/request-id.js';
import { ErasedAccounts } from '../../operator/erasure/erased-accounts.js';
import type { UploadLog } from '../../log/upload-log.js';
import { findUpload } from '../../log/uploads/find-upload.js';
import { replayFrom } from '../../operator/replay/replay-from.js';
import { acceptAgain } from '../../operator/replay/accept-again.js';
import { identifier } from '../../warehouse/sql.js';
import { tellAudit } from './audit.js';
import { withIdleLog, withLog } from './connections.js';
import { actor } from './actor.js';
import { timeOf } from './options.js';
import { ask } from './query.js';
import { CommandError, type Output } from './terminal.js';
import { clockAbove } from './version-clock.js';

export function addReplayCommand(program: Command, terminal: Output): void {
  program
    .command('replay')
    .description('process uploads again that the log still has')
    .option(
      '--request <id>',
      'one upload, as a new request above all others: its rows replace those of later uploads',
      requestId,
    )
    .option(
      '--from <time>',
      'everything that the log took since then (2026-11-21T08:00:00Z), with the service stopped; changes nothing that is right',
      timeOf,
    )
    .action(async ({ request, from }: { request?: string; from?: number }) => {
      const config = readConfig(terminal.env);
      if (request !== undefined && from === undefined) {
        const replayed = await withLog(config, (log) =>
          replayRequest(config, terminal, log, request),
        );
        terminal.result({ requestId: replayed }, `${replayed}\n`);
      } else if (from !== undefined && request === undefined) {
        const records = await withIdleLog(config, async (log) => {
          const behind = await replayFrom(log, from);
          await tellAudit(log, terminal, 'replay-from', '', new Date(from).toISOString());
          return behind;
        });
        terminal.hint(
          `${records} records will be read again by the next process with the role ingest\n`,
        );
        terminal.result({ records }, '');
      } else {
        throw new CommandError('replay needs either --request or --from', 2);
      }
    });
}

async function replayRequest(
  config: Config,
  terminal: Output,
  log: UploadLog,
  requestId: string,
): Promise<string> {
  const found = await findUpload(log, requestId, config.limits.uploadDeadlineMs);
  if (found === undefined)
    throw new CommandError(`the log has no upload ${requestId}, or no longer`);
  const { account } = found;
  if (await isErased(config, log, account, BigInt(found.end.version))) {
    throw new CommandError(`the upload ${requestId} was erased with its account ${account}`);
  }
  const end = { ...found.end, version: await nextVersion(config, log) };
  const replayed = await acceptAgain(log, { ...found, end }, actor());
  await tellAudit(log, terminal, 'replay-request', account, requestId);
  return replayed;
}

/**
 * Whether the account was erased at this version or a later one. The log has the newest orders, and
 * may have deleted one before the uploads that it covers; the table has the orders whose erasure
 * has begun.
 */
async function isErased(
  config: Config,
  log: UploadLog,
  account: string,
  version: bigint,
): Promise<boolean> {
  if ((await ErasedAccounts.inLog(log)).covers(account, version)) return true;
  const [erased] = await ask<{ version: string }>(
    config,
    `SELECT toString(max(version)) AS version
     FROM ${identifier(config.clickhouseDatabase)}.account_erasures WHERE account = {account:String}`,
    { account },
  );
  return version <= BigInt(erased?.version ?? 0);
}

/** A version above every one that was given. */
async function nextVersion(config: Config, log: UploadLog): Promise<string> {
  const clock = await clockAbove(log, config.limits.logTimeoutMs);
  const [history] = await ask<{ highest: string }>(
    config,
    `SELECT toString(max(version)) AS highest
     FROM ${identifier(config.clickhouseDatabase)}.request_transitions`,
    {},
  );
  clock.observe(BigInt(history?.highest ?? 0));
  return clock.next().toString();
}

function requestId(value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw new InvalidArgumentError('A request is named by its UUID.');
}
