import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export interface ConsoleFile {
  /** The end of its name, which says what it is. */
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

/** The compiled sources, whose modules a browser runs as they are. */
const DIST = new URL('../../', import.meta.url);
const PAGE = 'clients/console/index.html';
const ASSETS = ['clients/console/console.css', 'clients/console/icon.svg'];
/** What the page loads, and what its worker does. */
const ENTRIES = ['clients/console/main.js', 'clients/console/check-worker.js'];

/**
 * The console's files by their path below `/console/`, read once: the page, its assets, and those
 * modules of the service that its own modules import.
 */
export async function readConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = new Map<string, ConsoleFile>();
  files.set('', await readConsoleFile(PAGE));
  for (const path of ASSETS) files.set(`modules/${path}`, await readConsoleFile(path));
  const waiting = [...ENTRIES];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(`modules/${path}`)) continue;
    const file = await readConsoleFile(path);
    files.set(`modules/${path}`, file);
    waiting.push(...importsOf(file.body.toString(), path));
  }
  return files;
}

async function readConsoleFile(path: string): Promise<ConsoleFile> {
  const body = await readFile(new URL(path, DIST));
  const digest = hash('sha256', body, 'base64url');
  return { type: path.slice(path.lastIndexOf('.') + 1), body, etag: `"${digest}"` };
}

/** The relative imports of a compiled module, as paths below the compiled sources. */
function importsOf(source: string, path: string): string[] {
  const specifiers = source.matchAll(/^(?:import|export)\b[^;]*?['"](\.[^'"]+)['"];/gm);
  return [...specifiers].map(([, specifier]) => {
    return new URL(specifier!, new URL(path, DIST)).href.slice(DIST.href.length);
  });
}
