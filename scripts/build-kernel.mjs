/**
 * Compiles the kernel (src/csv/kernel/assembly) to WebAssembly and writes it as text to
 * kernel-binary.ts beside it. As text, it needs no separate file in Node, in tests or in a browser.
 *
 * The same sources give the same bytes on every machine; a test compares them.
 *
 *     node scripts/build-kernel.mjs [FILE]
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = fileURLToPath(new URL('../src/csv/kernel', import.meta.url));
const target = process.argv[2] ?? `${folder}/kernel-binary.ts`;

let binary;
const { error, stderr } = await asc.main(
  [
    'assembly/index.ts',
    ...['--baseDir', folder, '--outFile', 'kernel.wasm'],
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
  console.error(`The kernel was not compiled:\n${stderr.toString()}`);
  process.exit(1);
}
const text = Buffer.from(binary).toString('base64');
writeFileSync(
  target,
  '/** The kernel, compiled from `assembly/` by `npm run build:kernel`. */\n' +
    `export const KERNEL_BASE64 =\n  '${text}';\n`,
);
