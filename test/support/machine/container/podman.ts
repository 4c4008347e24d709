import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { isOrGetsInstalled } from '../apt.js';
import { describeIf } from '../describe-if.js';
import { baseImage } from './base-image.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const PROGRAMS = ['podman', 'buildah', 'runc', 'debootstrap', 'iptables'];
/** Networks of containers, and names in them. */
const PACKAGES = ['netavark', 'aardvark-dns'];
const BUILD_MS = 600_000;
const COMMAND_MS = 60_000;

const isPossible =
  process.getuid?.() === 0 && isOrGetsInstalled(areThere, [...PROGRAMS, ...PACKAGES]);

/** Tests in containers. Skipped with a message where containers cannot run; fails in CI. */
export const describeWithPodman = describeIf(
  isPossible,
  `${PROGRAMS.join(', ')} are needed, and to be root`,
);

function areThere(): boolean {
  return (
    PROGRAMS.every((program) => spawnSync('which', [program]).status === 0) &&
    PACKAGES.every((name) => existsSync(`/usr/lib/podman/${name}`))
  );
}

/** These also work on a machine without systemd. */
const OPTIONS = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];

/**
 * Returns the output of podman.
 *
 * @throws Error with podman's message when it fails
 */
export async function podman(args: readonly string[], timeout = COMMAND_MS): Promise<string> {
  const maxBuffer = 64 * 1024 * 1024;
  // Tests run health checks themselves. Podman would need systemd for it.
  const env = { ...process.env, DISABLE_HC_SYSTEMD: 'true' };
  const options = { timeout, maxBuffer, env };
  return (await promisify(execFile)('podman', [...OPTIONS, ...args], options)).stdout;
}

/**
 * Builds the image of `deploy/Dockerfile` from scratch, on a base image that is built here.
 *
 * @returns the names of the image and its base for podman; the caller removes the image
 */
export async function buildImage(): Promise<{ readonly image: string; readonly base: string }> {
  const image = `localhost/custom-data-test/service:${process.pid}`;
  const dockerfile = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  const [, from, major, suite] = /^FROM (node:(\d+)-(\w+)-slim)/m.exec(dockerfile)!;
  const base = baseImage(major!, suite!);
  const context = `${from!}=container-image://${base}`;
  const options = [
    // Asks no image registry, and keeps only the finished image.
    ...['--pull=never', '--layers=false', '--network=host', '--isolation=chroot'],
    // The OCI format has no health check.
    ...['--format', 'docker', '--build-context', context],
  ];
  const file = join(ROOT, 'deploy/Dockerfile');
  await podman(['build', ...options, '--file', file, '--tag', image, ROOT], BUILD_MS);
  return { image, base };
}
