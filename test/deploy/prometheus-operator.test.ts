import { readdirSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { parse } from '../support/documents/kubernetes/build.js';
import { describeOverlay, FOLDER } from '../support/documents/kubernetes/describe.js';
import { labelsOf, portsOf } from '../support/documents/kubernetes/overlay.js';

interface ScrapeConfig {
  readonly job_name: string;
  readonly scrape_interval: string;
  readonly relabel_configs: readonly {
    readonly source_labels: readonly string[];
    readonly target_label?: string;
  }[];
}

const RULES = `${FOLDER}../prometheus/rules/`;
/** The operator sets it. */
const NAMESPACE = 'namespace';
const KINDS = ['PodMonitor', 'PrometheusRule'] as const;

describeOverlay(
  'the objects for the Prometheus operator',
  (overlay) => {
    it('are what the operator takes, in the namespace of the pods', () => {
      const [namespace] = overlay().all('Namespace');
      for (const kind of KINDS) {
        for (const { metadata } of overlay().all(kind)) {
          expect(metadata.namespace).toBe(namespace!.metadata.name);
        }
      }
      // The others are those of the test of the Kubernetes files.
      const kinds: readonly string[] = KINDS;
      const wrong = overlay().checked.filter(
        ({ object, problems }) => kinds.includes(object.kind) && problems.length > 0,
      );
      expect(wrong.map(({ object, problems }) => [object.metadata.name, problems])).toEqual([]);
    });

    it('and no others get the labels that Prometheus may select by', () => {
      const labelled = overlay().checked.filter(
        ({ object }) => 'release' in (object.metadata.labels ?? {}),
      );
      expect(labelled.map(({ object }) => object)).toEqual([
        ...overlay().all('PodMonitor'),
        ...overlay().all('PrometheusRule'),
      ]);
    });

    it('have the rules of the rule files', () => {
      const specs = overlay()
        .all('PrometheusRule')
        .map(({ spec }) => spec);
      expect(specs).toEqual(readdirSync(RULES).map((file) => parse(RULES + file)));
    });

    it('scrape every process as the scrape configuration does', () => {
      const [monitor] = overlay().all('PodMonitor');
      const { selector, jobLabel, podMetricsEndpoints } = monitor!.spec;
      const [config] = parse(`${FOLDER}prometheus/scrape.yml`) as ScrapeConfig[];
      expect(overlay().selectedBy(selector)).toEqual(overlay().deployments);
      for (const deployment of overlay().deployments) {
        expect(labelsOf(deployment)[jobLabel]).toBe(config!.job_name);
        expect(portsOf(deployment)).toHaveProperty('ops');
      }
      const relabelings = config!.relabel_configs
        .filter(({ target_label }) => target_label !== undefined && target_label !== NAMESPACE)
        .map(({ source_labels, target_label }) => ({
          sourceLabels: source_labels,
          targetLabel: target_label,
        }));
      expect(relabelings).toHaveLength(2);
      expect(podMetricsEndpoints).toEqual([
        { port: 'ops', interval: config!.scrape_interval, relabelings },
      ]);
    });
  },
  'operator',
);
