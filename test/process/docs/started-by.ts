import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { ROOT } from '../../support/documents/commands.js';
import type { Ports } from '../../support/service/service-process.js';

const LIMIT_MS = 60_000;
/** Free ports, unlike those of the pages. */
const PORTS = { HTTP_PORT: '0', OPS_PORT: '0', QUERY_PORT: '0' };

interface Started {
  readonly ports: Ports;
  readonly stop: () => Promise<void>;
}

/** Runs a command of a page that starts the service. Resolves when the service answers. */
export async function startedBy(command: string, dataDir: string): Promise<Started> {
  const { PATH, HOME } = process.env;
  const child = spawn('sh', ['-c', command], {
    cwd: ROOT,
    env: { PATH, HOME, DATA_DIR: dataDir, ...PORTS },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own gets the signal as from Ctrl-C: the shell, npm and the service.
    detached: true,
  });
  const closed = once(child, 'close');
  const stop = async (): Promise<void> => {
    process.kill(-child.pid!, 'SIGINT');
    await closed;
  };
  const late = setTimeout(() => void stop(), LIMIT_MS);
  try {
    const ports = await new Promise<Ports>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('"msg":"listening"')) resolve(JSON.parse(line) as Ports);
      });
      void closed.then(() => {
        reject(new Error(`the service ended: ${command}`));
      });
    });
    return { ports, stop };
  } finally {
    clearTimeout(late);
  }
}
