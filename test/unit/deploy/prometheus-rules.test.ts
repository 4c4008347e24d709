import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

const RULES = new URL('../../../deploy/prometheus/rules/', import.meta.url);
const OBJECTS = new URL('../../../deploy/kubernetes/prometheus-operator/rules/', import.meta.url);

/** `UPDATE_RULES=1 npm test -- prometheus-rules.test` writes the objects. */
test.each(readdirSync(RULES))('the Prometheus operator gets the rules of %s', (file) => {
  const object = prometheusRule(file, readFileSync(new URL(file, RULES), 'utf8'));
  const written = new URL(file, OBJECTS);
  if (process.env['UPDATE_RULES'] === '1') writeFileSync(written, object);
  expect(readFileSync(written, 'utf8')).toBe(object);
});

test('the Prometheus operator gets no other rules', () => {
  expect(readdirSync(OBJECTS)).toEqual(readdirSync(RULES));
});

/** Returns an object with the content of a rule file, without its comments. */
function prometheusRule(file: string, rules: string): string {
  const content = rules.replace(/^ *(?:#.*)?\n/gm, '').replace(/^/gm, '  ');
  return `# Written by UPDATE_RULES=1 npm test -- prometheus-rules.test from deploy/prometheus/rules/${file}.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: custom-data-${file.replace('.yml', '')}
spec:
${content.trimEnd()}
`;
}
