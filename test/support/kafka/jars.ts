import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RECIPE = fileURLToPath(new URL('.', import.meta.url));
/** Ignored by git, and kept between runs. */
export const CACHE = fileURLToPath(new URL('../../../.cache/kafka/', import.meta.url));
/** Differs for other versions of the jars. */
export const VERSION = createHash('sha256')
  .update(readFileSync(join(RECIPE, 'jars.sha256')))
  .digest('hex')
  .slice(0, 12);
/** The jars of a broker. */
export const LIBS = join(CACHE, `libs-${VERSION}`);

/** Downloads the jars into an ignored folder, once. Rejects jars with an unexpected checksum. */
export async function fetchJars(): Promise<void> {
  if (existsSync(LIBS)) return;
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, 'fetch-'));
  try {
    await cp(join(RECIPE, 'pom.xml'), join(work, 'pom.xml'));
    const maven = spawnSync(
      'mvn',
      ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libs'],
      { cwd: work, encoding: 'utf8', timeout: 280_000 },
    );
    if (maven.status !== 0) throw new Error(`Maven failed: ${maven.stdout}${maven.stderr}`);
    for (const line of readFileSync(join(RECIPE, 'jars.sha256'), 'utf8').trim().split('\n')) {
      const [expected, name] = line.split(/\s+/) as [string, string];
      const found = createHash('sha256')
        .update(readFileSync(join(work, 'libs', name)))
        .digest('hex');
      if (found !== expected) throw new Error(`${name} has the checksum ${found}, not ${expected}`);
    }
    // When two processes download at once, the second finds the folder in place.
    await rename(join(work, 'libs'), LIBS).catch((error: unknown) => {
      if (!existsSync(LIBS)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
