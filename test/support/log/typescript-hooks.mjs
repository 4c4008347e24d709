/**
 * Module hooks that let plain Node run the TypeScript sources, for programs that tests kill.
 * Compiled output is cached, because loading the compiler takes longer than most programs run.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CACHE = new URL('../../../node_modules/.cache/typescript-hooks/', import.meta.url);

export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  return { format: 'module', source: await compiled(text), shortCircuit: true };
}

async function compiled(text) {
  const kept = new URL(`${createHash('sha256').update(text).digest('hex')}.js`, CACHE);
  if (existsSync(kept)) return readFile(kept, 'utf8');
  const { default: ts } = await import('typescript');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  await mkdir(CACHE, { recursive: true });
  const unfinished = new URL(`${kept.href}.${process.pid}`);
  await writeFile(unfinished, outputText);
  await rename(unfinished, kept);
  return outputText;
}
