import { podman } from '../machine/container/podman.js';

const LABEL = 'custom-data-test';

/** Marks containers, networks and volumes of this process. */
export const OURS = `--label=${LABEL}=${process.pid}`;

/** Removes all containers, networks and volumes of this process. */
export async function removeOurs(): Promise<void> {
  await removeAll(`label=${LABEL}=${process.pid}`);
}

/** Removes what tests have left behind whose processes have ended. */
export async function removeLeftovers(): Promise<void> {
  const options = [`--filter=label=${LABEL}`, '--format', `{{index .Labels "${LABEL}"}}`];
  const lists = [
    ['ps', '--all'],
    ['network', 'ls'],
    ['volume', 'ls'],
  ];
  const pids = new Set<string>();
  for (const list of lists) {
    for (const pid of (await podman([...list, ...options])).split('\n')) pids.add(pid);
  }
  for (const pid of pids) {
    if (pid !== '' && !isRunning(Number(pid))) await removeAll(`label=${LABEL}=${pid}`);
  }
}

async function removeAll(filter: string): Promise<void> {
  const names = async (...list: string[]): Promise<string[]> =>
    (await podman([...list, `--filter=${filter}`])).split('\n').filter(Boolean);
  const containers = await names('ps', '--all', '--quiet');
  if (containers.length > 0)
    await podman(['rm', '--force', '--volumes', '--time', '0', ...containers]);
  const networks = await names('network', 'ls', '--quiet');
  if (networks.length > 0) await podman(['network', 'rm', '--force', ...networks]);
  const volumes = await names('volume', 'ls', '--quiet');
  if (volumes.length > 0) await podman(['volume', 'rm', '--force', ...volumes]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
