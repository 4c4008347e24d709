import { readdirSync } from 'node:fs';

import { createNodeResolver, importX } from 'eslint-plugin-import-x';

/**
 * The folders of `src` that each folder may import from, besides itself. `service` and the command
 * line have no such limit.
 */
const MAY_IMPORT = {
  domain: [],
  config: ['domain'],
  ops: ['domain'],
  csv: ['domain'],
  accounts: ['domain', 'ops'],
  log: ['config', 'domain', 'ops'],
  warehouse: ['config', 'csv', 'domain', 'ops'],
  status: ['config', 'domain', 'log', 'ops', 'warehouse'],
  operator: ['config', 'domain', 'log', 'ops', 'status', 'warehouse'],
  ingest: ['config', 'csv', 'domain', 'log', 'ops', 'status', 'warehouse'],
  preview: ['csv', 'domain', 'ops', 'warehouse'],
  gateway: ['accounts', 'config', 'csv', 'domain', 'log', 'ops', 'preview', 'status'],
  query: ['config', 'domain', 'ops', 'warehouse'],
  'clients/api': ['domain', 'preview', 'status'],
  'clients/console': ['clients/api', 'csv', 'domain', 'preview', 'status'],
};

/** The programs that people run. No other folder imports from them. */
const CLIENTS = 'clients';
/** The files of `status` that gateway, ingest and operators may import. */
const OF_STATUS = ['publisher', 'request-lookup', 'transition'];

/** The adapters of the ports `log` and `warehouse`. */
const ADAPTERS = [
  ['log', 'lmdb'],
  ['log', 'kafka'],
  ['warehouse', 'chdb'],
  ['warehouse', 'clickhouse'],
];
/** The folder with the only file that names an adapter. */
const SERVICE = 'service';

const src = (path) => `src/${path}`;
/** Folders and files. */
const entries = readdirSync(new URL('src', import.meta.url));
const isListed = (name) => name in MAY_IMPORT || [SERVICE, CLIENTS].includes(name);
const unlisted = entries.filter((name) => !name.endsWith('.ts') && !isListed(name));
if (unlisted.length > 0) throw new Error(`MAY_IMPORT does not list src/${unlisted.join(', src/')}`);

/** Restricts the imports of every file in `src`. */
export const importRules = [
  {
    files: ['src/**/*.ts'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({
          extensions: ['.ts', '.js'],
          extensionAlias: { '.js': ['.ts', '.js'] },
        }),
      ],
    },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          basePath: import.meta.dirname,
          zones: [
            ...Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
              target: src(folder),
              from: 'src',
              except: [folder, ...allowed].map((each) => `./${each}`),
              message: `src/${folder} may import from ${allowed.join(', ') || 'nothing'}`,
            })),
            {
              target: ['gateway', 'ingest', 'operator'].map(src),
              from: src('status'),
              except: OF_STATUS.map((each) => `./${each}.ts`),
              message: `may import only ${OF_STATUS.join(', ')} of src/status`,
            },
            {
              target: entries.filter((each) => each !== CLIENTS).map(src),
              from: src(CLIENTS),
              message: 'nothing imports from a client',
            },
            ...ADAPTERS.map(([port, adapter]) => ({
              target: [
                ...entries.filter((each) => each !== port && each !== SERVICE).map(src),
                `src/${SERVICE}/!(adapters).ts`,
                `src/${SERVICE}/*/**/*.ts`,
                `src/${port}/*.ts`,
                `src/${port}/!(${adapter})/**/*.ts`,
              ],
              from: src(`${port}/${adapter}`),
              message: `src/${SERVICE}/adapters.ts alone names an adapter`,
            })),
          ],
        },
      ],
    },
  },
];
