import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the binary is what the sources compile to (npm run build:kernel)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  try {
    const compiled = join(folder, 'kernel-binary.ts');
    execFileSync(process.execPath, [join(ROOT, 'scripts/build-kernel.mjs'), compiled]);
    const committed = readFileSync(join(ROOT, 'src/csv/kernel/kernel-binary.ts'), 'utf8');
    expect(readFileSync(compiled, 'utf8')).toBe(committed);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
