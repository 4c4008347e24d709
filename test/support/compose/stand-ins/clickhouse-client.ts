/**
 * Stands in for clickhouse-client: runs the statements of `--query` or of standard input. The
 * engine has no users of its own, so a statement about rights is printed and skipped if the engine
 * understands it but refuses it.
 */
import { text as textOf } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

import { statementsOf } from '../../../../src/warehouse/sql.js';

const SYNTAX_ERROR = '62';
const ABOUT_RIGHTS = /^(?:(?:CREATE|ALTER) (?:SETTINGS PROFILE|ROLE|ROW POLICY|USER)|GRANT)\b/;

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    user: { type: 'string', default: 'default' },
    password: { type: 'string', default: '' },
    database: { type: 'string', default: 'default' },
    query: { type: 'string' },
  },
});
const { host, user, password, database } = values;

for (const statement of statementsOf(values.query ?? (await textOf(process.stdin)))) {
  const answer = await fetch(
    `http://${host}:8123/?${new URLSearchParams({ database }).toString()}`,
    {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      body: statement,
    },
  );
  const said = await answer.text();
  const code = answer.headers.get('X-ClickHouse-Exception-Code') ?? '';
  if (answer.ok) {
    process.stdout.write(said);
  } else if (code !== SYNTAX_ERROR && ABOUT_RIGHTS.test(statement)) {
    console.log(`skipped, ${code}: ${statement.split('\n')[0]!}`);
  } else {
    console.error(said);
    process.exit(1);
  }
}
