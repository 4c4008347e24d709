import { type CostSpec, costFiles, type Load } from './cost-files.js';
import { type FillerSpec, fillerFile } from './filler-files.js';
import { type SelfServeSpec, selfServeFiles } from './self-serve-files.js';

export type LoadSpec = CostSpec | SelfServeSpec | FillerSpec;
export type { Load } from './cost-files.js';

const made = new Map<string, Load>();

/** The load of a specification. A process makes it once. */
export function loadOf(spec: LoadSpec): Load {
  const name = JSON.stringify(spec);
  let load = made.get(name);
  if (load === undefined) {
    load = make(spec);
    made.set(name, load);
  }
  return load;
}

function make(spec: LoadSpec): Load {
  if (spec.family === 'cost') return costFiles(spec);
  return 'filler' in spec ? fillerFile(spec) : selfServeFiles(spec);
}
