/**
 * Runs next-engine.py with the tests' Python. It is plain JavaScript and runs through the tests'
 * module hooks, because they look for Python's packages next to their own source.
 */
import { spawn } from 'node:child_process';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

register('../../test/support/log/typescript-hooks.mjs', import.meta.url);
const { hasPython, pythonWith } = await import('../../test/support/machine/python.ts');

const NAME = 'chdb';
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
if (!hasPython(NAME)) {
  process.stdout.write('none\n');
  process.exit();
}
const python = pythonWith(NAME, here('requirements.txt'));
spawn(python, [here('next-engine.py')], { stdio: 'inherit' }).on('exit', (code) => {
  process.exit(code ?? 1);
});
