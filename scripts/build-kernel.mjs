/**
 * Compiles the loops that are written in AssemblyScript to WebAssembly, and writes them as text
 * beside their sources. As text, they need no separate file in Node, in tests or in a browser.
 *
 * The same sources give the same bytes on every machine; a test compares them.
 *
 *     node scripts/build-kernel.mjs [FOLDER]    writes to FOLDER instead
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

/** Each has its sources in `assembly`. */
const MODULES = [
  { folder: 'src/csv/kernel', file: 'kernel-binary.ts', name: 'KERNEL_BASE64' },
  { folder: 'src/query/compressed', file: 'city-hash-binary.ts', name: 'CITY_HASH_BASE64' },
];

const root = fileURLToPath(new URL('..', import.meta.url));
for (const { folder, file, name } of MODULES) {
  const source = join(root, folder);
  const text = (await compile(source)).toString('base64');
  writeFileSync(
    join(process.argv[2] ?? source, file),
    '/** Compiled from `assembly/` by `npm run build:kernel`. */\n' +
      `export const ${name} =\n  '${text}';\n`,
  );
}

async function compile(folder) {
  let binary;
  const { error, stderr } = await asc.main(
    [
      'assembly/index.ts',
      ...['--baseDir', folder, '--outFile', 'module.wasm'],
      // The sources have to stay within bounds by themselves. A failed allocation ends the instance.
      ...['-O3', '--noAssert', '--runtime', 'minimal', '--use', 'abort=', '--enable', 'simd'],
    ],
    {
      writeFile: (_name, content) => {
        binary = content;
      },
    },
  );
  if (error !== null) {
    console.error(`${folder} was not compiled:\n${stderr.toString()}`);
    process.exit(1);
  }
  return Buffer.from(binary);
}
