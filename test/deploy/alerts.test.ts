import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, test } from '@jest/globals';

import { Page } from '../support/documents/page.js';
import {
  describeWithPrometheus,
  promtool,
  promtoolBeside,
} from '../support/documents/prometheus.js';

const DEPLOYED = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));
const SCRAPE = new URL('../../deploy/kubernetes/prometheus/scrape.yml', import.meta.url);
const TESTS = fileURLToPath(new URL('alerts/', import.meta.url));
const testFiles = readdirSync(TESTS).map((name) => TESTS + name);

/** The alerts by name, each with the text up to the next alert. */
const alerts = readFileSync(`${DEPLOYED}rules/alerts.yml`, 'utf8')
  .split(/^ +- alert: /m)
  .slice(1)
  .map((text) => ({ name: /^\w+/.exec(text)![0], text }));

describeWithPrometheus('the alert and recording rules', () => {
  it('are a configuration that Prometheus takes', () => {
    const { code, output } = promtool(['check', 'config', `${DEPLOYED}prometheus.yml`]);
    expect(output).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(code).toBe(0);
  });

  it('fire when they should, and not before', async () => {
    // Each file computes for seconds.
    const ran = await Promise.all(testFiles.map((file) => promtoolBeside(['test', 'rules', file])));
    for (const { code, output } of ran) {
      expect(output).not.toContain('FAILED');
      expect(code).toBe(0);
    }
  });
});

describeWithPrometheus('the scrape configuration for Kubernetes', () => {
  it('is one that Prometheus takes, but for finding pods, which that of the tests cannot', () => {
    const folder = mkdtempSync(join(tmpdir(), 'custom-data-scrape-'));
    try {
      const file = join(folder, 'prometheus.yml');
      const scraping = readFileSync(SCRAPE, 'utf8');
      const pods = /^ +kubernetes_sd_configs:\n(?: +- .*\n(?: {6,}.*\n)*)+/m;
      expect(scraping).toMatch(pods);
      const fixed = scraping.replace(pods, "  static_configs: [{ targets: ['x:1'] }]\n");
      writeFileSync(file, `scrape_configs:\n${fixed}`);
      const { code, output } = promtool(['check', 'config', file]);
      expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('every alert is seen firing and not firing by the tests of the rules', () => {
  const tests = testFiles.map((file) => readFileSync(file, 'utf8')).join('');
  for (const { name } of alerts) {
    expect(tests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`));
    expect(tests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts: \\[\\]\\n`));
  }
});

describe.each(alerts)('$name', ({ name, text }) => {
  it('says how bad it is and what it is', () => {
    expect(text).toMatch(/^ +severity: (?:critical|warning)$/m);
    expect(text).toMatch(/^ +summary: \S/m);
    expect(text).toMatch(/^ +description: \S/m);
  });

  it('has its section of the operations page', () => {
    const [, page, anchor] = /^ +runbook_url: '{{ \S+ }}\/(.+\.md)#(\S+)'$/m.exec(text)!;
    const headings = [...new Page(page!).text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replaceAll(' ', '-'),
    );
    expect(anchor).toBe(name.toLowerCase());
    expect(headings.filter((heading) => heading === anchor)).toHaveLength(1);
  });
});

test('links begin with an external label, which Prometheus is given and the operations page explains', () => {
  const prometheus = readFileSync(`${DEPLOYED}prometheus.yml`, 'utf8');
  const [, label, value] = /^ {2}external_labels:\n(?: {4}#.*\n)* {4}(\w+): (\S+)$/m.exec(
    prometheus,
  )!;
  expect(new Page('operations.md').text.replaceAll('\n', ' ')).toContain(
    `external label \`${label!}\`, \`${value!}\` in \`prometheus.yml\``,
  );
  for (const { text } of alerts) expect(text).toContain(`'{{ $externalLabels.${label!} }}/`);
});

test('the operations page has no section of an alert that there is not', () => {
  const below = new Page('operations.md').text.split('\n## Alerts\n')[1]!.split('\n## ')[0]!;
  const sections = [...below.matchAll(/^### (\w+)$/gm)].map(([, name]) => name!);
  expect(sections.sort()).toEqual(alerts.map(({ name }) => name).sort());
});
