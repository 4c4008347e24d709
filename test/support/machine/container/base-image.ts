import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { builtOnce } from '../built-once.js';
import { run, runs } from '../../service/command.js';

/** The npm that Node's images include. */
const NPM = 'npm@11';
const CERTIFICATES = '/etc/certificates-of-the-machine.pem';

/**
 * An image like `node:<major>-<suite>-slim`, built without an image registry: the distribution from
 * its packages, Node and npm from the npm registry. Its file system is kept between runs.
 *
 * @returns the image's name for podman
 */
export function baseImage(major: string, suite: string): string {
  const name = `localhost/custom-data-test/node:${major}-${suite}`;
  const folder = builtOnce(`containers/node-${major}-${suite}`, (fresh) => {
    const root = join(fresh, 'root');
    const packages = join(fresh, 'packages');
    makeFileSystem(root, packages, major, suite);
    run('tar', ['-C', root, '-cf', join(fresh, 'root.tar'), '.']);
    rmSync(root, { recursive: true });
    rmSync(packages, { recursive: true });
  });
  if (!runs('podman', ['image', 'exists', name])) {
    const changes = hasCertificates()
      ? ['--change', `ENV=NODE_EXTRA_CA_CERTS=${CERTIFICATES}`]
      : [];
    run('podman', ['import', ...changes, join(folder, 'root.tar'), name]);
  }
  return name;
}

function makeFileSystem(root: string, packages: string, major: string, suite: string): void {
  // A private mount namespace: its mounts are gone when it ends, however it ends.
  const debootstrap = ['debootstrap', '--variant=minbase', suite, root];
  run('unshare', ['--mount', '--propagation', 'private', ...debootstrap]);

  const node = unpacked(packages, `node-linux-${process.arch}@${major}`);
  copyFileSync(join(node, 'bin/node'), join(root, 'usr/local/bin/node'));
  const npm = join(root, 'usr/local/lib/node_modules/npm');
  cpSync(unpacked(packages, NPM), npm, { recursive: true });
  for (const program of ['npm', 'npx']) {
    const script = `bin/${program}-cli.js`;
    chmodSync(join(npm, script), 0o755);
    symlinkSync(`../lib/node_modules/npm/${script}`, join(root, 'usr/local/bin', program));
  }
  run('chroot', [root, 'useradd', '--create-home', '--uid', '1000', 'node']);
  // The machine may reach the npm registry through a proxy with its own certificate.
  if (hasCertificates()) {
    copyFileSync(process.env['NODE_EXTRA_CA_CERTS']!, join(root, CERTIFICATES));
  }
}

function hasCertificates(): boolean {
  return (process.env['NODE_EXTRA_CA_CERTS'] ?? '') !== '';
}

/** Downloads and unpacks an npm package. */
function unpacked(packages: string, name: string): string {
  const folder = join(packages, name);
  mkdirSync(folder, { recursive: true });
  const file = run('npm', ['pack', '--silent', '--pack-destination', folder, name]).trim();
  run('tar', ['-C', folder, '-xzf', join(folder, file)]);
  return join(folder, 'package');
}
