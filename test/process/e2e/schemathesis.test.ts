import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeIf } from '../../support/machine/describe-if.js';
import { pythonWith } from '../../support/machine/python.js';
import {
  makeMigratedDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

/** Calls that are generated from the OpenAPI document, against the built service. */

const HERE = fileURLToPath(new URL('schemathesis/', import.meta.url));
const COUNTED =
  /^custom_data_http_requests_total\{operation="(\w+)",family="[\w-]+",code="(\d+)"\} [1-9]/gm;
const run = promisify(execFile);
const python = interpreter();

describeIf(python !== undefined, 'Python 3.11 with its module venv, or PyPI, is missing')(
  'the service and its OpenAPI document',
  () => {
    let dataDir: string;
    let service: ServiceProcess;
    let token: string;
    beforeAll(async () => {
      dataDir = await makeMigratedDir();
      token = await tokenFor(dataDir, 'acme');
      // Limits that are never reached: the test only needs their headers.
      service = await ServiceProcess.start(dataDir, {
        RATE_LIMIT_UPLOADS_PER_MINUTE: '100000',
        RATE_LIMIT_READS_PER_MINUTE: '100000',
      });
    });
    afterAll(async () => {
      await service.kill();
      await removeDataDir(dataDir);
    });

    test('agree on statuses, headers, bodies, and on what is refused', async () => {
      const url = `http://127.0.0.1:${service.ports.api}/docs/openapi.json`;
      const { stdout } = await run(
        python!,
        [
          ...['-m', 'schemathesis.cli', '--no-color'],
          ...['--config-file', `${HERE}schemathesis.toml`, 'run', url],
          ...['--header', `Authorization: SERVICE-API-KEY ${token}`, '--checks', 'all'],
        ],
        { cwd: dataDir, timeout: 240_000, maxBuffer: 16 * 1024 * 1024 },
      ).catch((error: unknown) => {
        throw new Error((error as { stdout: string }).stdout);
      });
      expect(stdout).toMatch(/Operations:\s+3 selected \/ 3 total/);

      // The calls got past the header and the form, and used the link from a create to its read.
      const counted = [...(await service.metrics()).matchAll(COUNTED)];
      const answers = new Set(counted.map(([, operation, code]) => `${operation!} ${code!}`));
      expect([...answers]).toEqual(
        expect.arrayContaining(['create 201', 'create 400', 'read 200', 'read 404', 'preview 200']),
      );
      expect(service.logs.filter(({ level }) => level === 'error')).toEqual([]);
    });
  },
);

function interpreter(): string | undefined {
  try {
    return pythonWith('schemathesis', `${HERE}requirements.txt`);
  } catch {
    return undefined;
  }
}
