import { identifier, text } from '../sql.js';

/** On a cluster, rows for a table go to the table of this name on one of the shards. */
const LOCAL = '_local';

const TABLE = /^CREATE TABLE IF NOT EXISTS (\S+)\.(\w+)(\s.*?\bENGINE = )(\w*MergeTree\b.*)$/s;
const MATERIALIZED_VIEW =
  /^CREATE MATERIALIZED VIEW IF NOT EXISTS (\S+)\s+TO (\S+)(\s.*?\bFROM )(\S+)(\s.*)?$/s;
const VIEW = /^(CREATE VIEW IF NOT EXISTS|CREATE OR REPLACE VIEW) (\S+)(\s.*)$/s;
const STORED = /^ALTER TABLE (\S+)( MODIFY SETTING .*| MATERIALIZE COLUMN .*)$/s;
const COLUMN = /^ALTER TABLE (\S+)( (ADD|MODIFY|RENAME|DROP) COLUMN .*)$/s;

/**
 * The table that stores rows, as an ALTER names it: on a cluster the one behind the Distributed
 * table, on every node.
 */
export function storedTable(database: string, table: string, cluster: string | undefined): string {
  if (cluster === undefined) return `${identifier(database)}.${identifier(table)}`;
  return `${identifier(database)}.${identifier(table + LOCAL)} ON CLUSTER ${text(cluster)}`;
}

/**
 * What a statement of a single server's schema becomes on a cluster. Readers and writers see the
 * same names.
 *
 * - A table becomes a replicated table on every node, by the name `…_local`, and a Distributed
 *   table in front by its own name. Rows are sharded by account, so that all versions of a key,
 *   and all that is joined with it, stand on one shard.
 * - A materialised view works within a shard, from local table to local table.
 * - A view stays as it is, over the Distributed tables. Only what it joins or looks up goes to
 *   every shard as a whole (`GLOBAL`): the engine refuses to ask each shard from each shard.
 * - A setting of a table is changed where its rows are, on every node, and so is what a column holds.
 * - A column is changed there and in the Distributed table, which never has one that the other has not.
 *
 * @param statement with its database filled in, written as the scripts in this folder are
 * @throws for a statement of another kind, whose form on a cluster is not known
 */
export function onCluster(statement: string, cluster: string): string[] {
  const everywhere = `ON CLUSTER ${text(cluster)}`;

  const table = TABLE.exec(statement);
  if (table !== null) {
    const [, database, name, columns, engine] = table;
    const local = `${database!}.${name!}${LOCAL}`;
    const shard = /\baccount\b/.test(columns!) ? 'account' : 'number';
    return [
      `CREATE TABLE IF NOT EXISTS ${local} ${everywhere}${columns!}Replicated${engine!}`,
      `CREATE TABLE IF NOT EXISTS ${database!}.${name!} ${everywhere} AS ${local}\n` +
        `ENGINE = Distributed(${text(cluster)}, ${database!}, ${identifier(name! + LOCAL)}, cityHash64(${shard}))`,
    ];
  }

  const materialized = MATERIALIZED_VIEW.exec(statement);
  if (materialized !== null) {
    const [, name, to, select, from, rest = ''] = materialized;
    return [
      `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name!} ${everywhere}\n` +
        `TO ${to!}${LOCAL}${select!}${from!}${LOCAL}${rest}`,
    ];
  }

  const view = VIEW.exec(statement);
  if (view !== null) {
    const [, create, name, select] = view;
    const global = select!.replace(/\b(?:LEFT JOIN|NOT IN)\b/g, 'GLOBAL $&');
    return [`${create!} ${name!} ${everywhere}${global}`];
  }

  const stored = STORED.exec(statement);
  if (stored !== null) {
    const [, name, change] = stored;
    return [`ALTER TABLE ${name!}${LOCAL} ${everywhere}${change!}`];
  }

  const column = COLUMN.exec(statement);
  if (column !== null) {
    const [, name, change, verb] = column;
    const ends = verb === 'DROP' || verb === 'RENAME' ? ['', LOCAL] : [LOCAL, ''];
    return ends.map((end) => `ALTER TABLE ${name!}${end} ${everywhere}${change!}`);
  }

  throw new Error(`this statement has no form on a cluster: ${statement.slice(0, 60)}`);
}
