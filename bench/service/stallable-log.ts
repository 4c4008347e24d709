import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { logFolder } from '../../src/config/data-folder.js';
import { canMount, LoopDisks } from '../../test/support/disk/loop-disks.js';
import { run } from '../../test/support/service/command.js';
import { Broker } from '../kafka/broker.js';
import { makeFolder, removeFolder } from '../process/cleanup.js';
import type { GatewayOptions } from '../programs/gateway.js';

const DISK_MB = 16_384;

export const LOGS = ['embedded', 'Kafka'] as const;
export type LogName = (typeof LOGS)[number];

/** A log whose writes can be made to wait: its disk is frozen, or its broker is stopped. */
export interface StallableLog {
  readonly options: GatewayOptions;
  stall(): void;
  /** Does nothing if the log is not stalled. */
  resume(): void;
  close(): Promise<void>;
}

/** Undefined where there is no broker, or no right to mount. */
export function stallableLog(name: LogName): Promise<StallableLog | undefined> {
  return name === 'Kafka' ? onBroker() : Promise.resolve(onDisk());
}

function onDisk(): StallableLog | undefined {
  if (!canMount()) return undefined;
  const disks = LoopDisks.open();
  try {
    return onDiskOf(disks);
  } catch (error) {
    disks.close();
    throw error;
  }
}

function onDiskOf(disks: LoopDisks): StallableLog {
  const image = join(disks.folder, 'log.img');
  const mounted = join(disks.folder, 'mounted');
  disks.create(image, DISK_MB, ['mkfs.ext4', '-q']);
  disks.mount(image, mounted, '-o', 'loop');
  const folder = join(mounted, 'data');
  mkdirSync(logFolder(folder), { recursive: true });
  // Readers write to this file in memory. On the frozen disk they would wait as well.
  symlinkSync(join(disks.folder, 'lock.mdb'), join(logFolder(folder), 'lock.mdb'));
  let isFrozen = false;
  const resume = (): void => {
    if (isFrozen) run('fsfreeze', ['--unfreeze', mounted]);
    isFrozen = false;
  };
  // A frozen disk would keep its writers alive.
  process.on('exit', resume);
  return {
    options: { folder },
    stall: () => {
      run('fsfreeze', ['--freeze', mounted]);
      isFrozen = true;
    },
    resume,
    close: () => {
      resume();
      process.off('exit', resume);
      disks.close();
      return Promise.resolve();
    },
  };
}

async function onBroker(): Promise<StallableLog | undefined> {
  const broker = await Broker.start();
  if (broker === undefined) return undefined;
  const folder = await makeFolder();
  const resume = (): void => void process.kill(broker.pid, 'SIGCONT');
  return {
    options: { folder, env: { KAFKA_BROKERS: broker.address } },
    stall: () => void process.kill(broker.pid, 'SIGSTOP'),
    resume,
    close: async () => {
      resume();
      await broker.stop();
      await removeFolder(folder);
    },
  };
}
