/**
 * `npm run audit` asks the registry for known weaknesses of what the service uses when it runs.
 * Fails for high and critical ones, except those in `audit/exceptions.json`, each accepted until a
 * day. It is no check of a change: an advisory of today would turn a green main red.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { verdictOn } from './audit/verdict.mjs';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const exceptions = JSON.parse(
  readFileSync(new URL('./audit/exceptions.json', import.meta.url), 'utf8'),
);
const today = new Date().toISOString().slice(0, 10);
const { isBad, lines } = verdictOn(JSON.parse(stdout || '{}'), exceptions, today);
for (const line of lines) console.log(line);
process.exit(isBad ? 1 : 0);
