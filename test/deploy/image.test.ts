import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The packages that a module loads as soon as it is loaded itself, with all that it imports. */
async function packagesOf(entry: string): Promise<Set<string>> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [join(ROOT, entry)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const text = await readFile(path, 'utf8');
    for (const [, name] of text.matchAll(
      /^(?:import|export)\s(?!type\b)(?:[^;']*\sfrom\s)?'([^']+)'/gm,
    )) {
      if (name!.startsWith('.')) waiting.push(join(dirname(path), name!.replace(/\.js$/, '.ts')));
      else packages.add(name!);
    }
  }
  return packages;
}

/** The image of the scaled-out service leaves the embedded engine out. */
test.each(['src/main.ts', 'src/cli/main.ts', 'src/ingest/prepare/prepare-worker.ts'])(
  '%s starts without the embedded engine',
  async (entry) => {
    const packages = await packagesOf(entry);
    expect(packages.size).toBeGreaterThan(0);
    expect([...packages]).not.toContain('chdb');
  },
);

test('the image leaves out what it says it leaves out', async () => {
  const dockerfile = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  const { optionalDependencies } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  ) as { optionalDependencies: Record<string, string> };
  expect(Object.keys(optionalDependencies)).toEqual(['chdb']);
  expect(dockerfile).toContain('rm -rf node_modules/chdb node_modules/@chdb');
});

test('Prometheus asks every process of the compose file', async () => {
  const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8');
  const prometheus = await readFile(join(ROOT, 'deploy/prometheus/prometheus.yml'), 'utf8');
  const processes = [...compose.matchAll(/^ {2}((?:gateway|ingest|status)[\w-]*):\n {4}<<:/gm)];
  expect(processes.length).toBe(5);
  for (const [, name] of processes) expect(prometheus).toContain(`${name!}:9464`);
});
