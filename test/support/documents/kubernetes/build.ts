import { copyFileSync, readFileSync } from 'node:fs';
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
const OPERATOR = 'kubernetes/prometheus-operator';
/** Has the same libraries as the kubectl that embeds it. */
const KUSTOMIZE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.5.0';
const OPERATOR_MODULE = 'github.com/prometheus-operator/prometheus-operator@v0.88.0';
const OPERATOR_FILES = ['podmonitors', 'prometheusrules'].map(
  (name) => `monitoring.coreos.com_${name}.yaml`,
);

/** An object, and the problems that the schemas find in it. */
export interface Checked {
  readonly object: KubernetesObject;
  readonly problems: readonly string[];
}

/** Why this machine cannot build and check objects; undefined if it can. */
export function whyNotToBuild(hasOperator: boolean): string | undefined {
  const hasGo = runs('go', ['version']);
  if (!hasKubectl() && !isBuilt(BIN) && !hasGo) {
    return 'neither kubectl nor Go is there, so nothing can run kustomize';
  }
  if (hasOperator && !isBuilt(OPERATOR) && !hasGo) {
    return 'Go is missing, which downloads the schemas of the Prometheus operator';
  }
  if (!hasPython(PYTHON)) {
    return 'Python with its module venv is missing, which has the schemas of Kubernetes';
  }
  return undefined;
}

/**
 * The objects that `kubectl apply -k` sends, checked against schemas.
 *
 * @param schemas Kubernetes versions, and files with definitions of other kinds
 */
export function build(folder: string, schemas: readonly string[]): readonly Checked[] {
  const yaml = hasKubectl()
    ? run('kubectl', ['kustomize', folder])
    : run(join(builtOnce(BIN, installKustomize), 'kustomize'), ['build', folder]);
  return documents(yaml, schemas) as Checked[];
}

/** Files that define the kinds of the Prometheus operator. */
export function operatorSchemas(): string[] {
  const folder = builtOnce(OPERATOR, downloadOperator);
  return OPERATOR_FILES.map((file) => join(folder, file));
}

/** The content of a YAML file. */
export function parse(file: string): unknown {
  return documents(readFileSync(file, 'utf8'), [])[0]!.object;
}

function documents(yaml: string, schemas: readonly string[]): { readonly object: unknown }[] {
  const python = pythonWith(PYTHON, join(HERE, 'requirements.txt'));
  return JSON.parse(run(python, [join(HERE, 'objects.py'), ...schemas], { input: yaml })) as [];
}

function installKustomize(folder: string): void {
  run('go', ['install', KUSTOMIZE], { env: { ...process.env, GOBIN: folder } });
}

function downloadOperator(folder: string): void {
  const downloaded = run('go', ['mod', 'download', '-json', OPERATOR_MODULE]);
  const { Dir } = JSON.parse(downloaded) as { Dir: string };
  for (const file of OPERATOR_FILES) {
    copyFileSync(join(Dir, 'example/prometheus-operator-crd', file), join(folder, file));
  }
}

function hasKubectl(): boolean {
  return runs('kubectl', ['kustomize', '--help']);
}
