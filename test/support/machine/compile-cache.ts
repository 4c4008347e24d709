import { fileURLToPath } from 'node:url';

/** Environment of a program of which Node keeps what it compiles: the next start is quicker. */
export const COMPILED_ONCE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../.cache/compiled', import.meta.url)),
};
