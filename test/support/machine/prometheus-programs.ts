import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../.cache/prometheus/', import.meta.url));

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * Finds the programs in PROMETHEUS and PROMTOOL or in PATH. Otherwise it downloads the
 * distribution's package once and unpacks it into an ignored folder, which needs no privileges.
 *
 * @returns the programs, or why there are none
 */
export function findPrograms(): PrometheusPrograms | string {
  const installed = {
    prometheus: process.env['PROMETHEUS'] ?? 'prometheus',
    promtool: process.env['PROMTOOL'] ?? 'promtool',
  };
  if (doRun(installed)) return installed;
  try {
    const fetched = fetchPrograms(CACHE);
    return doRun(fetched) ? fetched : 'the fetched Prometheus does not run here';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Prometheus is missing and could not be fetched: ${reason}`;
  }
}

/** Downloads the package into the folder, unless it is there. */
export function fetchPrograms(cache: string): PrometheusPrograms {
  const root = join(cache, 'root');
  if (!existsSync(root)) {
    mkdirSync(cache, { recursive: true });
    const work = mkdtempSync(join(cache, 'fetch-'));
    try {
      download(work);
      const [file] = readdirSync(work).filter((name) => name.endsWith('.deb'));
      run('dpkg', ['-x', file ?? 'no package', 'root'], work);
      // When two processes download at once, the second finds the folder in place.
      if (!existsSync(root)) renameSync(join(work, 'root'), root);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  const bin = join(root, 'usr/bin');
  return { prometheus: join(bin, 'prometheus'), promtool: join(bin, 'promtool') };
}

/** Downloads the package. apt-get checks the distribution's signatures. */
function download(work: string): void {
  try {
    run('apt-get', ['download', 'prometheus'], work);
  } catch {
    // A fresh image may have no package lists, or outdated ones: use temporary lists.
    mkdirSync(join(work, 'lists/partial'), { recursive: true });
    mkdirSync(join(work, 'cache/archives/partial'), { recursive: true });
    const own = [
      ['Dir::State::lists', join(work, 'lists')],
      ['Dir::Cache', join(work, 'cache')],
      ['APT::Sandbox::User', ''],
    ].flatMap(([name, value]) => ['-o', `${name!}=${value!}`]);
    run('apt-get', [...own, 'update'], work);
    run('apt-get', [...own, 'download', 'prometheus'], work);
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { error, status, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.at(-1)!}: ${stderr.slice(-500)}`);
}

function doRun({ prometheus, promtool }: PrometheusPrograms): boolean {
  return [prometheus, promtool].every((program) => {
    return spawnSync(program, ['--version']).status === 0;
  });
}
