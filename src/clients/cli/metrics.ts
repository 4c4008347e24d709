import type { Command } from 'commander';
import { readConfig } from '../../config/read-config.js';
import { archivalRecord } from '../../operator/metric-archival/metric-archival.js';
import { identifier } from '../../warehouse/sql.js';
import { withLog } from './connections.js';
import { actor } from './actor.js';
import { accountOption, metricName } from './options.js';
import { ask } from './query.js';
import type { Output } from './terminal.js';

interface MetricRow {
  readonly account: string;
  readonly name: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly archived: boolean;
}

export function addMetricCommands(program: Command, terminal: Output): void {
  const metrics = program.command('metrics').description('self-serve metrics of accounts');

  const archival = (verb: 'archive' | 'restore', description: string): void => {
    metrics
      .command(verb)
      .description(description)
      .argument('<name>', 'the metric (event_category)', metricName)
      .addOption(accountOption('whose metric it is').makeOptionMandatory())
      .action(async (name: string, { account }: { account: string }) => {
        const action = `${verb}-metric` as const;
        const order = { action, account, name, actor: actor(), at: new Date().toISOString() };
        // Through the log it reaches a running service, whose warehouse no second process may open,
        // and one that starts later.
        await withLog(readConfig(terminal.env), (log) =>
          log.append('control', [archivalRecord(order)]),
        );
        terminal.hint(`${name} of ${account} is ${verb}d as soon as the service has read this\n`);
      });
  };
  archival('archive', 'hide a metric from the reports; its rows stay stored');
  archival('restore', 'show an archived metric in the reports again');

  metrics
    .command('list')
    .description('list the metrics that were uploaded')
    .addOption(accountOption('only those of one account'))
    .action(async ({ account }: { account?: string }) => {
      const config = readConfig(terminal.env);
      const rows = await ask<MetricRow>(
        config,
        'SELECT account, name, toString(first_seen) AS firstSeen, ' +
          'toString(last_seen) AS lastSeen, archived ' +
          `FROM ${identifier(config.clickhouseDatabase)}.metrics ` +
          `WHERE {account:String} IN ('', account) ORDER BY account, name`,
        { account: account ?? '' },
      );
      terminal.results(
        rows,
        ['ACCOUNT', 'NAME', 'FIRST SEEN', 'LAST SEEN', 'ARCHIVED'],
        ({ account: owner, name, firstSeen, lastSeen, archived }) => {
          return [owner, name, firstSeen, lastSeen, archived ? 'yes' : '-'];
        },
      );
    });
}
