import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe } from '@jest/globals';

import { operatorSchemas, whyNotToBuild } from './build.js';
import { Overlay } from './overlay.js';

export const FOLDER = fileURLToPath(new URL('../../../../deploy/kubernetes/', import.meta.url));

/** The oldest version that is documented to work, and the newest one that has schemas. */
const VERSIONS = ['1.30', '1.34'];
/** The first run downloads the tools. */
const SET_UP_MS = 600_000;

/** What checks the objects. The operator's own are there, and checked, with `operator` alone. */
type Schemas = 'Kubernetes' | 'operator' | 'none';

/** Tests of the overlay `production`. Skipped with a message if it cannot be built; fails in CI. */
export function describeOverlay(
  name: string,
  tests: (overlay: () => Overlay) => void,
  schemas: Schemas = 'none',
): void {
  const hasOperator = schemas === 'operator';
  const missing = whyNotToBuild(hasOperator);
  const isSkipped = missing !== undefined && (process.env['CI'] ?? '') === '';
  if (isSkipped) process.stderr.write(`\nSKIPPED: ${name}: ${missing}\n`);
  (isSkipped ? describe.skip : describe)(name, () => {
    let overlay: Overlay;

    beforeAll(() => {
      if (missing !== undefined) throw new Error(missing);
      const versions = schemas === 'Kubernetes' ? VERSIONS : [];
      overlay = hasOperator ? withOperator() : new Overlay(`${FOLDER}production`, versions);
    }, SET_UP_MS);

    tests(() => overlay);
  });
}

/** Builds a copy in which the lines for the operator are no comments. */
function withOperator(): Overlay {
  const copy = mkdtempSync(join(tmpdir(), 'custom-data-kubernetes-'));
  try {
    cpSync(FOLDER, copy, { recursive: true });
    uncomment(join(copy, 'production/kustomization.yml'), /^( *)# (- \.\.\/prometheus-operator)$/m);
    uncomment(
      join(copy, 'prometheus-operator/kustomization.yml'),
      /^()# (labels:|  - pairs: .*)$/gm,
    );
    return new Overlay(join(copy, 'production'), operatorSchemas());
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function uncomment(file: string, comment: RegExp): void {
  const text = readFileSync(file, 'utf8');
  if (text.search(comment) === -1) throw new Error(`${file} has no ${String(comment)}`);
  writeFileSync(file, text.replace(comment, '$1$2'));
}
