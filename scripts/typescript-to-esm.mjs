/**
 * Compiles TypeScript for jest, file by file and without type checks. All tiers share the results.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const config = fileURLToPath(new URL('../tsconfig.json', import.meta.url));
/** What the output depends on, besides the file itself. */
const compiler = [
  readFileSync(fileURLToPath(import.meta.url)),
  readFileSync(config),
  require('typescript/package.json').version,
];
let options;

export default {
  getCacheKey(source, path, { instrument }) {
    const hash = createHash('sha1');
    for (const part of [...compiler, path, source, String(instrument)])
      hash.update(part).update('\0');
    return hash.digest('hex');
  },

  process(source, path) {
    // Loaded for the first file that no earlier run has compiled.
    const ts = require('typescript');
    options ??= {
      ...ts.convertCompilerOptionsFromJson(
        ts.readConfigFile(config, ts.sys.readFile).config.compilerOptions,
        '.',
      ).options,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    };
    const { outputText, sourceMapText } = ts.transpileModule(source, {
      compilerOptions: options,
      fileName: path,
    });
    return { code: outputText, map: { ...JSON.parse(sourceMapText), sources: [path] } };
  },
};
