import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { adapted } from '../../support/documents/commands.js';
import { Page } from '../../support/documents/page.js';
import { builtOnce, isBuilt } from '../../support/machine/built-once.js';
import { describeIf } from '../../support/machine/describe-if.js';
import { run, runs } from '../../support/service/command.js';
import { ServiceWithSamples } from '../../support/files/samples.js';

/**
 * The official JDBC driver, which DBeaver, Metabase and Tableau use, with its defaults: it asks for
 * ClickHouse's compressed blocks.
 */

const HERE = fileURLToPath(new URL('jdbc/', import.meta.url));
const DRIVER = 'clickhouse-jdbc-0.9.4';
/** The first run downloads the driver. */
const SET_UP_MS = 600_000;

const canRun = runs('javac', ['-version']) && (isBuilt(DRIVER) || runs('mvn', ['-version']));

describeIf(canRun, 'a JDK or Maven is missing')('the JDBC driver', () => {
  let samples: ServiceWithSamples;
  let folder: string;
  beforeAll(async () => {
    folder = builtOnce(DRIVER, (fresh) => {
      cpSync(HERE, fresh, { recursive: true });
      const copy = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libs'];
      run('mvn', ['-f', join(fresh, 'pom.xml'), ...copy]);
    });
    samples = await ServiceWithSamples.start();
  }, SET_UP_MS);
  afterAll(() => samples.close());

  test('reads metadata, types, parameters and a large result, and is refused what it may not', async () => {
    const classPath = join(folder, 'libs', '*');
    const program = join(HERE, 'Client.java');
    const [, documented] = /`(jdbc:[^`]+)`/.exec(new Page('analysts.md').text)!;
    const url = adapted(documented!, { '8123': String(samples.service.ports.query) });
    const { stdout } = await promisify(execFile)('java', ['-cp', classPath, program, url]);
    const lines = stdout.trim().split('\n');
    const valuesOf = (name: string): string[] =>
      lines
        .filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2));
    expect(valuesOf('product')).toEqual(['ClickHouse']);
    expect(valuesOf('tables')).toEqual(['[cost, cost_report, cost_rows, cost_summary]']);
    expect(valuesOf('columns')[0]).toMatch(/^\[account LowCardinality\(String\), date Date, /);
    expect(valuesOf('types')).toEqual(['[LowCardinality(String), String, UInt64, Float64, Date]']);
    expect(valuesOf('row')).toEqual([
      '[Newsletter, EUR, 12, 6.4]',
      '[Radio, EUR, 0, 840.0]',
      '[newsletter, EUR, 1223, 566.25]',
      '[newsletter, USD, 410, 205.0]',
    ]);
    expect(valuesOf('large')).toEqual(['[300000, 44999850000]']);
    expect(valuesOf('prepared')).toEqual(['1633', '0']);
    expect(valuesOf('unknown')[0]).toContain('UNKNOWN_IDENTIFIER');
    expect(valuesOf('function')[0]).toContain('FUNCTION_NOT_ALLOWED');
    expect(valuesOf('insert')[0]).toContain('READONLY');
    expect(valuesOf('drop')[0]).toContain('READONLY');
  });
});
