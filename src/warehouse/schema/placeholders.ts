import { identifier, statementsOf, text } from '../sql.js';

/** On a cluster, rows for a table go to the table of this name on one of the shards. */
const LOCAL = '_local';

/**
 * The table that stores rows, as an ALTER names it: on a cluster the one behind the Distributed
 * table, on every node.
 */
export function storedTable(database: string, table: string, cluster: string | undefined): string {
  if (cluster === undefined) return `${identifier(database)}.${identifier(table)}`;
  return `${identifier(database)}.${identifier(table + LOCAL)} ON CLUSTER ${text(cluster)}`;
}

/**
 * The statements of a script of the schema, with its placeholders filled in.
 *
 * A single server has each table once. On a cluster every node has the table twice: replicated, by
 * the name `…_local`, and as a Distributed table in front by its own name. Readers and writers see
 * the same names. Rows are sharded by account, so that all versions of a key, and all that is joined
 * with it, stand on one shard. A materialised view works within a shard, from local table to local
 * table. What a view joins or looks up goes to every shard as a whole (`GLOBAL`): the engine refuses
 * to ask each shard from each shard.
 *
 * | placeholder      | a single server | a cluster              |
 * | ---------------- | --------------- | ---------------------- |
 * | `{database}`     | its name        | its name               |
 * | `{local}`        | nothing         | `_local`               |
 * | `{everywhere}`   | nothing         | ` ON CLUSTER '…'`      |
 * | `{Replicated}`   | nothing         | `Replicated`           |
 * | `{GLOBAL}`       | nothing         | `GLOBAL `              |
 * | `{cluster}`      | none            | its name, as a literal |
 * | `{on a cluster}` | no statement    | nothing                |
 *
 * A change of a column is two statements on a cluster. The Distributed table never has a column that
 * the table behind it lacks: ADD and MODIFY begin with `{local}`, RENAME and DROP end with it.
 *
 * @param cluster the servers' name for the cluster; undefined: a single server
 * @throws Error for another placeholder
 */
export function filledIn(script: string, database: string, cluster: string | undefined): string[] {
  const isCluster = cluster !== undefined;
  const values = new Map([
    ['database', identifier(database)],
    ['local', isCluster ? LOCAL : ''],
    ['everywhere', isCluster ? ` ON CLUSTER ${text(cluster)}` : ''],
    ['Replicated', isCluster ? 'Replicated' : ''],
    ['GLOBAL', isCluster ? 'GLOBAL ' : ''],
    ...(isCluster ? [['cluster', text(cluster)] as const, ['on a cluster', ''] as const] : []),
  ]);
  return statementsOf(script)
    .filter((statement) => isCluster || !statement.startsWith('{on a cluster}'))
    .map((statement) =>
      statement
        .replace(/\{([A-Za-z ]+)\}/g, (placeholder, name: string) => {
          const value = values.get(name);
          if (value === undefined) throw new Error(`the schema has no placeholder ${placeholder}`);
          return value;
        })
        .trim(),
    );
}
