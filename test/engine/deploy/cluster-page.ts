import { readFileSync } from 'node:fs';

import { statementsOf } from '../../../src/warehouse/sql.js';
import { Page, snippet, snippets } from '../../support/documents/page.js';

/** What docs/clickhouse-cluster.md and the files that it is about have for tests. */

export const CLUSTER = 'custom_data';
export const page = new Page('clickhouse-cluster.md');
export const serverXml = contentOf('server.xml');
export const keeperXml = contentOf('keeper.xml');

export const commands = snippet('clickhouse-cluster.md', 'npx custom-data migrate');
export const [layoutSql, userSql, replicasSql] = snippets('clickhouse-cluster.md', 'sql') as [
  string,
  string,
  string,
];
/** Shard, replica, host and whether replication is internal, as the page shows them. */
export const layout = page.tableUnder(layoutSql.trimEnd().split('\n').at(-1)!);
export const hosts = layout.map(([, , host]) => host!);
export const userStatements = statementsOf(userSql);

/** What the page says of the environment of a server. */
export function envOf(host: string): Record<string, string> {
  const [, shard] = /^clickhouse-(\d)-\d$/.exec(host)!;
  return { CLUSTER_REPLICA: host, CLUSTER_SHARD: shard!, CLUSTER_SECRET: 'letters4and2digits' };
}

function contentOf(name: string): string {
  const file = new URL(`../../../deploy/clickhouse/cluster/${name}`, import.meta.url);
  return readFileSync(file, 'utf8');
}
