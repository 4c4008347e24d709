import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { readComposeFile, ROOT } from '../../support/compose/compose-file.js';
import { OURS, removeOurs } from '../../support/compose/leftovers.js';
import { Stack } from '../../support/compose/stack.js';
import { Page } from '../../support/documents/page.js';
import { until } from '../../support/until.js';
import { buildImage, describeWithPodman, podman } from '../../support/machine/container/podman.js';
import { ApiClient } from '../../support/service/api-client.js';

/**
 * docker-compose.yml as it is, with what stands in for the images of others (see
 * test/support/compose/stand-ins). Grafana does not run.
 */

/** Builds the image of the service and those of others, and starts them. */
const START_MS = 840_000;
const POLL_MS = 200;
const MIB = 1_048_576;
const IMAGE_MIB = 130;
/** Of a container besides those of the file. */
const LIMITS = ['--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024'];
const PROCESSES = ['gateway-1', 'gateway-2', 'ingest-1', 'ingest-2', 'status'];
/** What an operator sets in place of the passwords that everybody can read. */
const PASSWORDS = { CLICKHOUSE_PASSWORD: 'p@ss word', GRAFANA_CLICKHOUSE_PASSWORD: "grafana's" };

const path = join(ROOT, 'docker-compose.yml');
const cost = (value: number): string =>
  `date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,a,1,2,${value}\n`;

describeWithPodman('docker-compose.yml', () => {
  let image = '';
  let base = '';
  let stack: Stack;

  beforeAll(async () => {
    ({ image, base } = await buildImage());
    stack = await Stack.create(readComposeFile(path, PASSWORDS), image, base);
    await stack.up();
  }, START_MS);
  afterAll(async () => {
    try {
      await removeOurs();
    } finally {
      if (image !== '') await podman(['rmi', '--force', image]);
    }
  });

  it('starts every service once', async () => {
    const restarts = stack.services.map(async (name) => [name, await stack.restarts(name)]);
    expect(await Promise.all(restarts)).toEqual(stack.services.map((name) => [name, 0]));
  });

  it('adds little to the base image, and not the embedded engine', async () => {
    const [size, sizeOfBase] = await Promise.all(
      [image, base].map(async (name) =>
        Number(await podman(['image', 'inspect', '--format', '{{.Size}}', name])),
      ),
    );
    const added = (size! - sizeOfBase!) / MIB;
    const list = 'du --summarize --block-size=K node_modules/[!@]* node_modules/@*/* | sort -rn';
    const sizes = await stack.exec('status', 'sh', '-c', list);
    const largest = sizes.split('\n').slice(0, 10).join('\n');
    process.stderr.write(
      `the image adds ${added.toFixed(1)} MiB. Its largest packages:\n${largest}\n`,
    );
    expect(added).toBeLessThan(IMAGE_MIB);
    expect(sizes).toContain('node_modules/lmdb\n');
    expect(sizes).not.toContain('chdb');
  });

  it.each(PROCESSES)('%s is confined', async (service) => {
    expect(await stack.exec(service, 'id', '--user')).toBe('1000\n');
    await expect(stack.exec(service, 'touch', 'file')).rejects.toThrow('Read-only file system');
    const status = await stack.exec(service, 'cat', '/proc/1/status');
    expect(status).toMatch(/^CapEff:\t0{16}$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  });

  // The container of `migrate` has ended, so nothing can be asked in it.
  it.each([...PROCESSES, 'migrate'])('%s was started as confined', async (service) => {
    expect(await stack.confinement(service)).toEqual({
      user: 1000,
      capabilities: [],
      noNewPrivileges: true,
      readOnlyRoot: true,
    });
  });

  it('has an image whose own health check asks whether the process lives', async () => {
    const format = '{{json .HealthCheck.Test}}';
    const test = await podman(['image', 'inspect', '--format', format, image]);
    const [kind, ...command] = JSON.parse(test) as string[];
    expect([kind, ...command]).toEqual(['CMD', 'node', 'deploy/health.mjs', 'live']);
    expect(await stack.exec('gateway-1', ...command)).toBe('');
    // Nothing answers where the service does not run.
    await expect(podman(['run', '--rm', OURS, ...LIMITS, image, ...command])).rejects.toMatchObject(
      { code: 1 },
    );
  });

  it('takes a file, and its numbers are in the reports, also after processes were killed', async () => {
    const client = await clientOf('gateway-1');
    expect(await client.upload('cost', cost(3))).toMatchObject({ status: 'succeeded' });
    expect(await reported()).toBe('acme\t3\n');

    const other = await clientOf('gateway-2');
    const { requestId } = await other.create('cost', cost(4));
    await Promise.all(['gateway-1', 'ingest-1'].map((service) => stack.kill(service)));
    expect(await other.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
    expect(await client.upload('cost', cost(5))).toMatchObject({ status: 'succeeded' });
    expect(await reported()).toBe('acme\t5\n');
  });

  it('refuses a login with a wrong password, also with the one that the file has', async () => {
    for (const password of ['wrong', 'known-inside-the-compose-network']) {
      const login = ['--user', 'custom_data', '--password', password, '--query', 'SELECT 1'];
      await expect(stack.exec('clickhouse', 'clickhouse-client', ...login)).rejects.toThrow(
        'AUTHENTICATION_FAILED',
      );
    }
  });

  it('runs the scripts of ClickHouse whenever it starts, also after it was killed', async () => {
    await stack.kill('clickhouse');
    const output = stack.output('clickhouse');
    expect(output.split('analysts.sh is done\n')).toHaveLength(3);
    expect(await reported()).toBe('acme\t5\n');
    process.stderr.write(
      `the engine without users skipped ${output.split('\nskipped').length - 1} statements\n`,
    );
  });

  it('is watched by Prometheus, which knows its Alertmanager', async () => {
    const asked = async (question: string): Promise<unknown> => {
      const answer = await fetch(`${stack.url('prometheus', 9090)}/api/v1/${question}`);
      return ((await answer.json()) as { data: unknown }).data;
    };
    interface Target {
      readonly labels: { readonly instance: string };
      readonly health: string;
      readonly lastError: string;
    }
    const targets = async (): Promise<readonly Target[]> =>
      ((await asked('targets')) as { activeTargets: readonly Target[] }).activeTargets;
    await until(async () => (await targets()).every(({ health }) => health === 'up'), POLL_MS);
    expect((await targets()).map(({ labels }) => labels.instance).sort()).toEqual(
      PROCESSES.map((name) => `${name}:9464`),
    );
    expect(await asked('alertmanagers')).toMatchObject({
      activeAlertmanagers: [{ url: expect.stringContaining('//alertmanager:9093/') }],
    });
    const status = await fetch(`${stack.url('alertmanager', 9093)}/api/v2/status`);
    expect(status.status).toBe(200);
    const { versionInfo } = (await status.json()) as { versionInfo: { version: string } };
    const { version } = (await asked('status/buildinfo')) as { version: string };
    const documented = new Page('operations.md').tableUnder('## Versions and platforms');
    for (const [name, run] of [
      ['Prometheus', version.replace('+ds', '')],
      ['Alertmanager', versionInfo.version],
    ]) {
      expect(documented).toContainEqual([name, `Debian 12's, ${run!}`, expect.any(String)]);
    }
  });

  it('ends a process whose main thread is blocked', async () => {
    const blocked = `
      import { Watchdog } from './dist/ops/watchdog.js';
      new Watchdog(2);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
    const program = ['node', '--input-type=module', '--eval', blocked];
    await expect(podman(['run', '--rm', OURS, ...LIMITS, image, ...program])).rejects.toMatchObject(
      {
        code: 137,
        stderr: expect.stringContaining('the process kills itself: its main thread is blocked'),
      },
    );
  });

  it('is healthy after all that', async () => {
    await stack.stillHealthy();
  });

  it('stops cleanly', async () => {
    for (const service of [...PROCESSES, 'prometheus', 'alertmanager', 'clickhouse']) {
      expect([service, await stack.stop(service)]).toEqual([service, 0]);
    }
    for (const service of PROCESSES) {
      const lines = stack.output(service).trim().split('\n');
      expect(lines.at(-1)).toContain('"msg":"stopped"');
    }
    // A JVM that SIGTERM has ended in order.
    expect(await stack.stop('kafka')).toBe(143);
  });

  /** Creates a token as the file's first lines say, and a client that has it. */
  async function clientOf(gateway: string): Promise<ApiClient> {
    const [, command] = /docker compose exec gateway-1 (.*)$/m.exec(readFileSync(path, 'utf8'))!;
    expect(command).toMatch(/^custom-data /);
    const token = await stack.exec(gateway, ...command!.split(' '));
    const { port } = new URL(stack.url(gateway, 8080));
    const client = new ApiClient(() => Number(port), token.trim());
    // The service accepts a new token within a second.
    await until(async () => (await client.get('cost', 'none')).status === 400, POLL_MS);
    return client;
  }

  /** The report, asked for as the file's first lines say. */
  async function reported(): Promise<string> {
    const [, command] = /docker compose exec clickhouse sh -c '(.*)'$/m.exec(
      readFileSync(path, 'utf8'),
    )!;
    const sql = 'SELECT account, cost FROM custom_data.cost_report';
    return stack.exec('clickhouse', 'sh', '-c', `${command!} --query '${sql}'`);
  }
});
