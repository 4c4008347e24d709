import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { expect, test } from '@jest/globals';

import { logFolder } from '../../../src/config/data-folder.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Cluster } from '../../support/service/cluster.js';
import { describeOn } from '../../support/service/deployment.js';
import { Program } from '../../support/log/program.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** The memory of a gateway while its log accepts nothing, on the real logs. */

const MIB = 1_048_576;
const UPLOADS = 64;
/** Longer than a test takes to let the log go on. */
const LONGEST_STALL_MS = 60_000;
/** A gateway that has not grown for so long has received all that it takes without its log. */
const SETTLED_MS = 2_000;
const MOST_GROWN = 64 * MIB;
const PATIENT = { LOG_TIMEOUT_SECONDS: '60', UPLOAD_DEADLINE_SECONDS: '240' };

const line = '2026-01-01,channel,event,1.5,campaign\n';
const PLAIN = new Uint8Array(Buffer.alloc(MIB, line));
const UNPACKS_TO_32_MIB = new Uint8Array(gzipSync(Buffer.alloc(32 * MIB, line)));

/** Returns the process's bytes in memory: now (VmRSS), or the peak since `forgetPeak` (VmHWM). */
function residentOf(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024;
}

function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns how much the process grows while 64 uploads wait for the stalled log. */
async function grownBy(
  gateway: ServiceProcess,
  client: ApiClient,
  file: Uint8Array<ArrayBuffer>,
  stall: () => Promise<void>,
): Promise<{ readonly grown: number; readonly answers: Promise<Response[]> }> {
  const pid = gateway.process.pid!;
  // Excludes the memory that the first uploads need for compilation and buffers.
  for (let i = 0; i < 2; i++) await client.upload('self-serve', PLAIN);
  await stall();
  forgetPeak(pid);
  const before = residentOf(pid, 'VmRSS');
  const answers = Promise.all(
    Array.from({ length: UPLOADS }, () => client.post('self-serve', file)),
  );
  // The test awaits them later and gets the error then.
  answers.catch(() => undefined);
  const end = Date.now() + 30_000;
  const begun = (): Promise<number> => gateway.metric('custom_data_uploads_receiving');
  while (Date.now() < end && (await begun()) !== UPLOADS) await sleep(100);
  let peak = 0;
  let peakAt = Date.now();
  while (Date.now() < end && Date.now() - peakAt < SETTLED_MS) {
    const resident = residentOf(pid, 'VmHWM');
    if (resident > peak) [peak, peakAt] = [resident, Date.now()];
    await sleep(100);
  }
  const grown = peak - before;
  process.stderr.write(`the gateway grew by ${(grown / MIB).toFixed(0)} MiB\n`);
  // Uploads that have been refused hold no memory.
  expect(await gateway.metric('custom_data_uploads_receiving')).toBe(UPLOADS);
  return { grown, answers };
}

async function expectAccepted(answering: Promise<Response[]>): Promise<void> {
  const answers = await answering;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
}

describeOn('lmdb', 'on the embedded log', () => {
  test.each([
    ['1 MiB', PLAIN],
    ['gzip that unpacks to 32 MiB', UNPACKS_TO_32_MIB],
  ])('64 uploads of %s hold a bounded memory', async (what, file) => {
    const dataDir = await makeMigratedDir();
    const token = await tokenFor(dataDir, 'acme');
    const service = await ServiceProcess.start(dataDir, PATIENT);
    const client = new ApiClient(() => service.ports.api, token);
    const released = join(dataDir, 'released');
    let holder: Program | undefined;
    try {
      const { grown, answers } = await grownBy(service, client, file, async () => {
        const args = [logFolder(dataDir), String(LONGEST_STALL_MS), released];
        holder = Program.start('hold-transaction', args);
        await holder.printed(1);
      });
      expect(holder!.lines).toEqual(['holding']);
      expect(grown).toBeLessThan(MOST_GROWN);
      writeFileSync(released, '');
      if (what === '1 MiB') await expectAccepted(answers);
    } finally {
      await service.kill();
      await holder?.kill();
      await removeDataDir(dataDir);
    }
  });
});

describeOn('kafka', 'on Kafka', () => {
  test.each([
    ['1 MiB', PLAIN],
    ['gzip that unpacks to 32 MiB', UNPACKS_TO_32_MIB],
  ])('64 uploads of %s hold a bounded memory', async (what, file) => {
    const cluster = await Cluster.open();
    try {
      const token = await tokenFor(cluster.sharedDir, 'acme');
      const [gateway] = await Promise.all([
        cluster.start('gateway', PATIENT),
        cluster.start('ingest'),
        cluster.start('status'),
      ]);
      const client = new ApiClient(() => gateway.ports.api, token);
      const { grown, answers } = await grownBy(gateway, client, file, async () => {
        cluster.broker.signal('SIGSTOP');
        await Promise.resolve();
      });
      expect(grown).toBeLessThan(MOST_GROWN);
      if (what === '1 MiB') {
        cluster.broker.signal('SIGCONT');
        await expectAccepted(answers);
      }
    } finally {
      cluster.broker.signal('SIGCONT');
      await cluster.close();
    }
  });
});
