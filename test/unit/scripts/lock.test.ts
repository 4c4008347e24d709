import { existsSync, readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

/** The lock file is complete, and the project uses no package whose licence is not in this list. */

const LICENCES = [
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
];
/** Binaries of other platforms that the registry at hand does not have. */
const NOT_HAD = [
  'node_modules/@chdb/lib-darwin-arm64',
  'node_modules/@chdb/lib-darwin-x64',
  'node_modules/@chdb/lib-linux-arm64-gnu',
];

interface Locked {
  readonly integrity?: string;
  readonly license?: string;
  readonly resolved?: string;
}

const root = new URL('../../../', import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const locked = Object.entries(packages).filter(([path]) => path !== '');

/** Old packages have a list of licences, which the lock file leaves out. */
function licenceOf(path: string, { license }: Locked): string | undefined {
  const file = new URL(`${path}/package.json`, root);
  if (license !== undefined || !existsSync(file)) return license;
  const { licenses } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly licenses?: readonly { readonly type: string }[];
  };
  return licenses?.[0]?.type;
}

test('every package has a checksum, and names no registry', () => {
  const without = locked.filter(([, { integrity }]) => !(integrity ?? '').startsWith('sha512-'));
  expect(without.map(([path]) => path)).toEqual(NOT_HAD);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('every package has a licence of the list', () => {
  const others = locked
    .filter(([path]) => !NOT_HAD.includes(path))
    .map(([path, entry]) => [path, licenceOf(path, entry)] as const)
    .filter(([, licence]) => licence === undefined || !LICENCES.includes(licence));
  expect(others).toEqual([]);
});

test('the native parts of the service name a binary for Linux on arm64', () => {
  const natives = ['@lmdb/lmdb', '@antoniomuso/lz4-napi', '@chdb/lib'];
  for (const native of natives) {
    const binaries = locked.filter(([path]) => path.startsWith(`node_modules/${native}-linux-`));
    expect(binaries.map(([path]) => path)).toContainEqual(
      expect.stringMatching(/-linux-arm64(?:-gnu)?$/),
    );
  }
});
