import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { builtOnce, isBuilt } from '../../machine/built-once.js';
import { run, runs } from '../../service/command.js';
import { hasPython, pythonWith } from '../../machine/python.js';
import type { KubernetesObject } from './objects.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** A folder within `.cache`. */
const BIN = 'kubernetes/bin';
const PYTHON = 'kubernetes/python';
/** Has the same libraries as the kubectl that embeds it. */
const KUSTOMIZE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.5.0';

/** An object, and the problems that the schemas find in it. */
export interface Checked {
  readonly object: KubernetesObject;
  readonly problems: readonly string[];
}

/** Why this machine cannot build and check objects; undefined if it can. */
export function whyNotToBuild(): string | undefined {
  if (!hasKubectl() && !isBuilt(BIN) && !runs('go', ['version'])) {
    return 'neither kubectl nor Go is there, so nothing can run kustomize';
  }
  if (!hasPython(PYTHON)) {
    return 'Python with its module venv is missing, which has the schemas of Kubernetes';
  }
  return undefined;
}

/** The objects that `kubectl apply -k` sends, checked against the schemas of these versions. */
export function build(folder: string, versions: readonly string[]): readonly Checked[] {
  const yaml = hasKubectl()
    ? run('kubectl', ['kustomize', folder])
    : run(join(builtOnce(BIN, installKustomize), 'kustomize'), ['build', folder]);
  return documents(yaml, versions) as Checked[];
}

/** The content of a YAML file. */
export function parse(file: string): unknown {
  return documents(readFileSync(file, 'utf8'), [])[0]!.object;
}

function documents(yaml: string, versions: readonly string[]): { readonly object: unknown }[] {
  const python = pythonWith(PYTHON, join(HERE, 'requirements.txt'));
  return JSON.parse(run(python, [join(HERE, 'objects.py'), ...versions], { input: yaml })) as [];
}

function installKustomize(folder: string): void {
  run('go', ['install', KUSTOMIZE], { env: { ...process.env, GOBIN: folder } });
}

function hasKubectl(): boolean {
  return runs('kubectl', ['kustomize', '--help']);
}
