import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the binaries are what the sources compile to (npm run build:kernel)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'scripts/build-kernel.mjs'), folder]);
    for (const binary of ['csv/kernel/kernel-binary.ts', 'query/compressed/city-hash-binary.ts']) {
      const committed = readFileSync(join(ROOT, 'src', binary), 'utf8');
      expect(readFileSync(join(folder, basename(binary)), 'utf8')).toBe(committed);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
