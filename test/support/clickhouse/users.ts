import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ClickHouseHttp } from './clickhouse-http.js';

/** How the tests' server takes data that comes along with a statement. */
const OF_THE_SERVER = 'GRANT CREATE TEMPORARY TABLE, FILE ON *.*';

/**
 * Runs `use` on a server of its own, whose only user has these rights.
 *
 * @param grants statements `GRANT …` without `TO`
 * @param config of the server, to which the users are added
 */
export async function withUserOf(
  grants: readonly string[],
  use: (server: ClickHouseHttp) => Promise<void>,
  { config = '<clickhouse></clickhouse>', env = {}, profile = '' }: ServerSettings = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'custom-data-user-'));
  try {
    const users = join(folder, 'users.xml');
    await writeFile(users, usersXml([...grants, OF_THE_SERVER], '', profile));
    const server = await ClickHouseHttp.start({
      config: config.replace('</clickhouse>', `<users_config>${users}</users_config></clickhouse>`),
      env,
    });
    try {
      await use(server);
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ServerSettings {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user's settings and their constraints, as XML. */
  readonly profile?: string;
}

/**
 * The users of a server's configuration: one without a password, who has only these rights.
 *
 * @param grants statements `GRANT …` without `TO`
 * @param databases row filters, as XML
 * @param profile settings and their constraints, as XML
 */
export function usersXml(grants: readonly string[], databases = '', profile = ''): string {
  return `<clickhouse>
    <profiles><default>${profile}</default></profiles><quotas><default/></quotas>
    <users><default>
      <password/><profile>default</profile><quota>default</quota>
      <grants>${grants.map((each) => `<query>${each}</query>`).join('')}</grants>
      ${databases}
    </default></users>
  </clickhouse>`;
}
