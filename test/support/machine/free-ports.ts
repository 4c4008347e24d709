import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (32768 and up on Linux): the system may give one of those to another
 * socket before a slow server binds it.
 */
const FIRST = 10_000;
const COUNT = 20_000;

/** Different free ports of 127.0.0.1. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
