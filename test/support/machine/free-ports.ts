import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (32768 and up on Linux): the system may give one of those to another
 * socket before a slow server binds it.
 */
const FIRST = 10_000;
/**
 * Test processes that run side by side, whose process ids are close together, have ports of their
 * own. Otherwise one could take a port between the check below and the moment a slow server of
 * another binds it, or while a killed server of another is down.
 */
const PER_PROCESS = 200;
const first = FIRST + (process.pid % 100) * PER_PROCESS;

let next = Math.floor(Math.random() * PER_PROCESS);

/** Different free ports of 127.0.0.1. None is given twice until all have been. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = first + (next++ % PER_PROCESS);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
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
