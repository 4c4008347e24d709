/**
 * Runs the tests, after installing and building what is missing (end-to-end tests start the built
 * service). Arguments go to jest: `npm test -- test/domain`, `npm test -- -t "a name"`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './ensure-built.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

try {
  await ensureBuilt();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
const [code] = await once(jest, 'exit');
process.exit(code ?? 1);
