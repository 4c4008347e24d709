import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { readConfig } from '../../../src/config/read-config.js';
import { failureOf } from '../../../src/warehouse/failure.js';
import { ClickHouseHttp } from '../../support/clickhouse/clickhouse-http.js';
import { outcomeOf } from '../../support/service/outcome.js';
import {
  CLUSTER,
  commands,
  envOf,
  hosts,
  keeperXml,
  layout,
  layoutSql,
  page,
  replicasSql,
  serverXml,
  userStatements,
} from './cluster-page.js';

/** Loads the files of deploy/clickhouse/cluster into the engine, which has no Keeper. */

/** Starts the engine with a configuration and asks it. */
async function asked(config: string, env: Record<string, string>, sql: string): Promise<unknown[]> {
  const server = await ClickHouseHttp.start({ config, env });
  try {
    return await server.query(sql, 'system');
  } finally {
    await server.stop();
  }
}

test("the page's commands and variables are those of the service", async () => {
  const names = [...commands.matchAll(/^npx custom-data (.*)$/gm)].map(([, name]) => name!);
  expect(names).toEqual(['migrate']);
  for (const name of names) expect((await outcomeOf({}, name, '--help')).code).toBe(0);

  const env: Record<string, string> = { KAFKA_BROKERS: 'kafka:9092' };
  for (const [, name, value] of commands.matchAll(/^export (\w+)=(\S+)/gm)) env[name!] = value!;
  expect(readConfig(env).clickhouse).toMatchObject({
    url: 'http://clickhouse:8123',
    user: 'custom_data',
    passwordFile: '/run/secrets/clickhouse-password',
    cluster: CLUSTER,
    insertQuorum: 'auto',
  });
});

describe('a server', () => {
  let server: ClickHouseHttp;
  beforeAll(async () => {
    server = await ClickHouseHttp.start({ config: serverXml, env: envOf(hosts[0]!) });
  });
  afterAll(() => server.stop());

  const ask = (sql: string): Promise<unknown[]> => server.query(sql, 'system');

  test('has the layout that the page shows', async () => {
    const rows = await ask(layoutSql);
    expect(rows.map((row) => Object.values(row as object).map(String))).toEqual(layout);
    expect(layout).toHaveLength(4);
  });

  test('syncs what it fetches', async () => {
    const name = 'min_compressed_bytes_to_fsync_after_fetch';
    expect(
      await ask(`SELECT value FROM system.replicated_merge_tree_settings WHERE name = '${name}'`),
    ).toEqual([{ value: '1' }]);
  });

  test("understands the page's statements", async () => {
    const [drop] = /SYSTEM DROP REPLICA [^`]*/.exec(page.text)!;
    for (const sql of [...userStatements, replicasSql, drop]) {
      expect(await ask(`EXPLAIN AST ${sql}`)).not.toEqual([]);
    }
    const everywhere = `clusterAllReplicas('${CLUSTER}', system.replicas)`;
    expect(replicasSql).toContain(everywhere);
    expect(await ask(replicasSql.replace(everywhere, 'system.replicas'))).toEqual([]);
  });

  test('has errors for a missing quorum or Keeper after which an insert is repeated', async () => {
    const errors = {
      NO_ZOOKEEPER: 225,
      TABLE_IS_READ_ONLY: 242,
      TOO_FEW_LIVE_REPLICAS: 285,
      UNKNOWN_STATUS_OF_INSERT: 319,
      KEEPER_EXCEPTION: 999,
    };
    for (const [name, code] of Object.entries(errors)) {
      expect(await ask(`SELECT errorCodeToName(${code}) AS name`)).toEqual([{ name }]);
      expect([name, failureOf(code, 'insert')]).toEqual([name, 'retry']);
    }
  });
});

test.each(hosts)('%s knows its shard and its name', async (host) => {
  const { CLUSTER_SHARD } = envOf(host);
  expect(await asked(serverXml, envOf(host), 'SELECT * FROM macros ORDER BY macro')).toEqual([
    { macro: 'replica', substitution: host },
    { macro: 'shard', substitution: CLUSTER_SHARD },
  ]);
});

test('a server without the variables starts, and knows neither', async () => {
  expect(await asked(serverXml, {}, 'SELECT * FROM macros ORDER BY macro')).toEqual([
    { macro: 'replica', substitution: '' },
    { macro: 'shard', substitution: '' },
  ]);
});

describe('the file of the Keepers', () => {
  test('is one that the engine reads', async () => {
    const env = { KEEPER_ID: '1' };
    expect(await asked(keeperXml, env, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('has the Keepers that the servers know', () => {
    const [, port] = /<tcp_port>(.*?)<\/tcp_port>/.exec(keeperXml)!;
    const members = keeperXml.matchAll(/<id>(.*?)<\/id><hostname>(.*?)<\/hostname>/g);
    const nodes = serverXml.matchAll(/<node><host>(.*?)<\/host><port>(.*?)<\/port><\/node>/g);
    const known = [...nodes].map(([, host, of]) => `${host!}:${of!}`);
    expect([...members].map(([, id, host]) => [id, `${host!}:${port!}`])).toEqual([
      ['1', known[0]],
      ['2', known[1]],
      ['3', known[2]],
    ]);
    expect(known).toEqual(['keeper-1:9181', 'keeper-2:9181', 'keeper-3:9181']);
  });
});
