/**
 * `npm run demo` shows the service at work. Everything runs on this machine, on free ports and with
 * a data folder that is removed at the end.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './ensure-built.mjs';

const bold = (text) => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[0m` : text);
const say = (text = '') => console.log(text);

async function main() {
  await ensureBuilt();
  const { customData, startService } = await import('./demo/service.mjs');
  const samples = await import('./demo/samples.mjs');

  const dataDir = await mkdtemp(join(tmpdir(), 'custom-data-demo-'));
  let service;
  try {
    // Created before the start: a running service takes up to a second to accept a new token.
    const token = await customData(
      dataDir,
      ...['tokens', 'create', '--account', 'acme', '--role', 'owner'],
    );
    const started = Date.now();
    service = await startService(dataDir);
    const { api, query, ops } = service.ports;
    say(bold(`The service is up after ${Date.now() - started} ms, log and warehouse embedded.`));
    say(
      `  API http://127.0.0.1:${api}   ClickHouse http://127.0.0.1:${query}   metrics http://127.0.0.1:${ops}/metrics`,
    );

    const client = { base: `http://127.0.0.1:${api}/custom-data-upload/v1.0`, token };
    const ask = (sql) => report(`http://127.0.0.1:${query}`, sql);

    await upload(client, 'cost', 'cost-by-ad-group.csv', await samples.costByAdGroup());
    const costReport =
      'SELECT date, campaign, ad_group, currency, impressions, clicks, cost ' +
      "FROM cost_report WHERE account = 'acme' ORDER BY campaign, ad_group, currency";
    await ask(costReport);

    say(bold('\nThe same campaign again, without ad groups: its key is replaced as a whole.'));
    await upload(client, 'cost', 'cost-by-campaign.csv', await samples.costByCampaign());
    await ask(costReport);

    say(bold('\nA deletion: the same combinations with all metrics 0.'));
    await upload(client, 'cost', 'cost-deleted.csv', await samples.costDeleted());
    await ask(costReport);

    say(bold('\nCustom metrics of your own.'));
    await upload(client, 'self-serve', 'metrics.csv', await samples.selfServe());
    await ask(
      'SELECT date, channel, event_category, event_value FROM self_serve_report ' +
        "WHERE account = 'acme' ORDER BY date, channel",
    );

    say(bold('\nA file with mistakes: nothing of it is stored, and the reason names every one.'));
    const failed = await upload(client, 'cost', 'broken.csv', await samples.broken());
    for (const [column, messages] of Object.entries(JSON.parse(failed.reason))) {
      for (const message of messages) say(`  ${column}: ${message}`);
    }
    await ask("SELECT count() AS rows_of_autumn FROM cost_rows WHERE campaign LIKE 'Autumn%'");
  } finally {
    const code = await service?.stop();
    if (code !== undefined) say(`\nThe service stopped with exit code ${code}.`);
    await rm(dataDir, { recursive: true, force: true });
  }
  say(`\n${bold('Next:')} npm start, then in another terminal
  npx custom-data tokens create --account acme --role owner
  curl -H "Authorization: SERVICE-API-KEY <token>" -F file=@your.csv \\
    http://127.0.0.1:8080/custom-data-upload/v1.0/cost/requests/
  curl 'http://127.0.0.1:8123/?database=custom_data' --data 'SELECT * FROM cost_report FORMAT PrettyCompact'
README.md says more.`);
}

/** Uploads a file and shows the states of its request until the last one. */
async function upload({ base, token }, family, name, content) {
  const headers = { authorization: `SERVICE-API-KEY ${token}` };
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/csv' }), name);
  say(bold(`\nPOST ${family}/requests/`) + `  ${name}, ${content.length} characters`);
  const created = await fetch(`${base}/${family}/requests/`, {
    method: 'POST',
    headers,
    body: form,
  });
  if (created.status !== 201) throw new Error(`${created.status}: ${await created.text()}`);
  let record = await created.json();
  const started = Date.now();
  const life = [record.status];
  while (record.status !== 'succeeded' && record.status !== 'failed') {
    if (Date.now() - started > 60_000) throw new Error(`still ${record.status} after a minute`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await fetch(`${base}/${family}/requests/${record.requestId}`, { headers });
    const { status: before } = record;
    record = await answer.json();
    if (record.status !== before) life.push(`${record.status} after ${Date.now() - started} ms`);
  }
  say(`  ${record.requestId}: ${life.join(' → ')}`);
  return record;
}

/** Shows a query and its result as ClickHouse formats it. */
async function report(url, sql) {
  const answer = await fetch(`${url}/?database=custom_data`, {
    method: 'POST',
    body: `${sql} FORMAT PrettyCompactMonoBlock`,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  say(`  ${sql}`);
  say(text.trimEnd().replace(/^/gm, '  '));
}

try {
  await main();
} catch (error) {
  console.error(`\nThe demo failed: ${error.message}`);
  process.exitCode = 1;
}
