import type { Command } from 'commander';
import { type AuditedAction, auditRecord } from '../../status/audit.js';
import { readConfig } from '../../config/read-config.js';
import { isLogUnavailable, type UploadLog } from '../../log/upload-log.js';
import { identifier } from '../../warehouse/sql.js';
import { actor } from './actor.js';
import { accountOption, timeOf } from './options.js';
import { ask } from './query.js';
import type { Output } from './terminal.js';

interface AuditRow {
  readonly time: string;
  readonly actor: string;
  readonly action: string;
  readonly account: string;
  readonly subject: string;
}

export function addAuditCommand(program: Command, terminal: Output): void {
  program
    .command('audit')
    .description('list who did what, oldest first')
    .addOption(accountOption('only what concerns one account'))
    .option('--since <time>', 'only later than 2026-11-21T08:00:00Z', timeOf)
    .action(async ({ account = '', since = 0 }: { account?: string; since?: number }) => {
      const config = readConfig(terminal.env);
      const rows = await ask<AuditRow>(
        config,
        `SELECT toString(at) AS time, actor, action, account, subject
         FROM ${identifier(config.clickhouseDatabase)}.audit_events FINAL
         WHERE {account:String} IN ('', account)
           AND at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
         ORDER BY at, account, action, subject`,
        { account, since: String(since) },
      );
      terminal.results(
        rows,
        ['TIME (UTC)', 'ACTOR', 'ACTION', 'ACCOUNT', 'SUBJECT'],
        ({ time, actor, action, account: concerned, subject }) => {
          return [time, actor, action, concerned === '' ? '-' : concerned, subject];
        },
      );
    });
}

/**
 * Records what an operator has done, if no other record tells of it. The action is done: without a
 * log there is a hint, and no failure.
 *
 * @param log undefined: tokens are made before the first start, and revoked while the log is away
 */
export async function tellAudit(
  log: UploadLog | undefined,
  terminal: Output,
  action: AuditedAction,
  account: string,
  subject: string,
): Promise<void> {
  if (log === undefined) {
    terminal.hint('there is no log, so the audit will not show this\n');
    return;
  }
  const event = { at: Date.now(), actor: actor(), action, account, subject };
  try {
    await log.append('control', [auditRecord(event)]);
  } catch (error) {
    if (!isLogUnavailable(error)) throw error;
    terminal.hint('the log did not answer, so the audit may not show this\n');
  }
}
