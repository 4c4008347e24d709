import { readFileSync } from 'node:fs';

import { podman } from '../machine/container/podman.js';
import { run } from '../service/command.js';

export interface Confinement {
  readonly user: number;
  readonly capabilities: readonly string[];
  readonly noNewPrivileges: boolean;
  readonly readOnlyRoot: boolean;
}

/** What a container runtime is told, by the OCI specification. */
interface RuntimeConfig {
  readonly process: {
    readonly user: { readonly uid: number };
    readonly capabilities?: { readonly effective?: readonly string[] };
    readonly noNewPrivileges?: boolean;
  };
  readonly root: { readonly readonly?: boolean };
}

/** @param format a template of `podman inspect` */
export async function inspect(container: string, format: string): Promise<string> {
  return (await podman(['inspect', '--format', format, container])).trim();
}

/** Everything that the container has printed. */
export function outputOf(container: string): string {
  return run('sh', ['-c', 'podman logs "$1" 2>&1', 'sh', container]);
}

/** What the container may do, or might before it ended, as the runtime was told. */
export async function confinementOf(container: string): Promise<Confinement> {
  const path = await inspect(container, '{{.OCIConfigPath}}');
  const { process, root } = JSON.parse(readFileSync(path, 'utf8')) as RuntimeConfig;
  return {
    user: process.user.uid,
    capabilities: process.capabilities?.effective ?? [],
    noNewPrivileges: process.noNewPrivileges ?? false,
    readOnlyRoot: root.readonly ?? false,
  };
}
