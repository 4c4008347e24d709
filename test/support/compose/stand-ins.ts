import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fetchJars, LIBS } from '../kafka/jars.js';
import { podman } from '../machine/container/podman.js';
import { ROOT } from './compose-file.js';

const FOLDER = fileURLToPath(new URL('stand-ins', import.meta.url));
/** Installs packages of the distribution. */
const BUILD_MS = 300_000;

/** An image that stands in for one that no registry of packages has. */
export interface StandIn {
  readonly image: string;
  /** Options of `podman run` that it needs besides those of the compose file. */
  readonly options: readonly string[];
}

const CACHE = 'node_modules/.cache';

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'apache/kafka': [],
  'clickhouse/clickhouse-server': [
    `--volume=${ROOT}:/project:ro`,
    // Has the compiled programs of the stand-in.
    `--volume=${join(ROOT, CACHE)}:/project/${CACHE}`,
  ],
  'prom/prometheus': [],
  'prom/alertmanager': [],
};

/** Images without a stand-in, whose services are left out. */
const LEFT_OUT = new Set(['grafana/grafana']);

/**
 * Builds what stands in for an image.
 *
 * @param base image of the distribution, with Node
 * @returns undefined if the service is left out
 * @throws Error for an image that is not known here
 */
export async function standInFor(image: string, base: string): Promise<StandIn | undefined> {
  const [name] = image.split(':') as [string];
  if (LEFT_OUT.has(name)) return undefined;
  const options = OPTIONS[name];
  if (options === undefined) throw new Error(`nothing stands in for the image ${image}`);
  await fetchJars();
  mkdirSync(join(ROOT, CACHE), { recursive: true });
  const [target] = name.split('/').at(-1)!.split('-') as [string];
  const tag = `localhost/custom-data-test/${target}`;
  await podman(
    [
      ...['build', '--pull=never', '--network=host', '--isolation=chroot', '--format', 'docker'],
      ...['--build-context', `debian=container-image://${base}`, '--build-context', `jars=${LIBS}`],
      ...['--target', target, '--tag', tag, FOLDER],
    ],
    BUILD_MS,
  );
  return { image: tag, options };
}
