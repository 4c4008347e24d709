import { CONSUMER_GROUPS } from '../../src/log/upload-log.js';
import { readFileSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { registry } from '../../src/ops/metrics.js';
import { parse } from '../support/documents/kubernetes/build.js';
import { describeOverlay, FOLDER } from '../support/documents/kubernetes/describe.js';
import { letOut, type Server } from '../support/documents/kubernetes/network.js';
import { selects } from '../support/documents/kubernetes/objects.js';
import { labelsOf, type Overlay } from '../support/documents/kubernetes/overlay.js';

describeOverlay('the Kubernetes files', tests, 'Kubernetes');

function tests(overlay: () => Overlay): void {
  it('are what Kubernetes takes', () => {
    expect(overlay().checked.length).toBeGreaterThan(10);
    const wrong = overlay().checked.filter(({ problems }) => problems.length > 0);
    expect(wrong.map(({ object, problems }) => [object.metadata.name, problems])).toEqual([]);
  });

  it('stand in one namespace, which they make', () => {
    const [namespace] = overlay().all('Namespace');
    for (const { object } of overlay().checked) {
      if (object.kind === 'Namespace') continue;
      expect([object.metadata.name, object.metadata.namespace]).toEqual([
        object.metadata.name,
        namespace!.metadata.name,
      ]);
    }
  });

  it('select the pods that are meant, and each role has its budget', () => {
    for (const deployment of overlay().deployments) {
      expect(overlay().selectedBy(deployment.spec.selector)).toEqual([deployment]);
      for (const { labelSelector } of deployment.spec.template.spec.topologySpreadConstraints ??
        []) {
        expect(overlay().selectedBy(labelSelector)).toEqual([deployment]);
      }
    }
    const budgets = overlay()
      .all('PodDisruptionBudget')
      .map(({ spec }) => {
        expect(spec.maxUnavailable).toBe(1);
        return overlay()
          .selectedBy(spec.selector)
          .map(({ metadata }) => metadata.name);
      });
    expect(budgets.sort()).toEqual(
      overlay()
        .deployments.map(({ metadata }) => metadata.name)
        .map((name) => [name])
        .sort(),
    );
    for (const { spec } of overlay().all('Service')) {
      const pods = overlay().selectedBy({ matchLabels: spec.selector });
      expect(pods.map((pod) => [...overlay().configOf(pod).roles])).toEqual([['gateway']]);
    }
    for (const { spec } of overlay().all('HorizontalPodAutoscaler')) {
      expect(overlay().deployments.map(({ metadata }) => metadata.name)).toContain(
        spec.scaleTargetRef.name,
      );
    }
    for (const { metadata, spec } of overlay().all('NetworkPolicy')) {
      const pods = overlay().workloads.filter((each) => selects(spec.podSelector, labelsOf(each)));
      expect([metadata.name, pods.length]).not.toEqual([metadata.name, 0]);
    }
  });

  it('scale ingest by a lag that is measured, to no more processes than there are partitions', () => {
    const ingest = overlay().deployments.find((each) =>
      overlay().configOf(each).roles.has('ingest'),
    )!;
    const scaler = overlay()
      .all('HorizontalPodAutoscaler')
      .find(({ spec }) => spec.scaleTargetRef.name === ingest.metadata.name)!;
    expect(scaler.spec.maxReplicas).toBeLessThanOrEqual(
      overlay().configOf(ingest).kafka!.partitions,
    );
    const { name, selector } = scaler.spec.metrics[0]!.external!.metric;
    expect(registry.getSingleMetric(name)).toBeDefined();
    expect(selector.matchLabels).toEqual({ topic: 'uploads', group: CONSUMER_GROUPS.ingest.group });

    const { externalRules } = parse(`${FOLDER}prometheus/adapter.yml`) as {
      externalRules: { seriesQuery: string; metricsQuery: string }[];
    };
    expect(externalRules).toHaveLength(1);
    expect(externalRules[0]!.seriesQuery).toContain(`__name__="${name}"`);
    const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
    const by = /max by \(([\w, ]+)\)/.exec(externalRules[0]!.metricsQuery)?.[1]?.split(', ');
    expect([...by!].sort()).toEqual([...labelNames].sort());
  });

  it('let processes out to the brokers and the server that are configured', () => {
    for (const workload of overlay().workloads) {
      const { kafka, clickhouse } = overlay().configOf(workload);
      const out = overlay()
        .all('NetworkPolicy')
        .filter(({ spec }) => selects(spec.podSelector, labelsOf(workload)))
        .flatMap(({ spec }) => (spec.egress ?? []).flatMap(({ ports }) => ports))
        .map(({ port }) => String(port));
      const brokers = kafka!.brokers.map((broker) => broker.split(':')[1]!);
      const needed = [
        '53',
        '5353',
        new URL(clickhouse!.url).port,
        ...(workload.kind === 'Job' ? [] : brokers),
      ];
      expect([...new Set(out)].sort()).toEqual([...new Set(needed)].sort());
    }
    const closed = overlay()
      .all('NetworkPolicy')
      .filter(
        ({ spec }) =>
          Object.keys(spec.podSelector).length === 0 &&
          (spec.ingress ?? spec.egress) === undefined &&
          spec.policyTypes.length === 2,
      );
    expect(closed).toHaveLength(1);
  });

  it('let every process ask the DNS servers of clusters, and nobody else at their ports', () => {
    const servers: readonly Server[] = [
      { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, port: 53 },
      { namespace: 'kube-system', labels: { 'k8s-app': 'node-local-dns' }, port: 53 },
      { address: '169.254.20.10', port: 53 },
      {
        namespace: 'openshift-dns',
        labels: { 'dns.operator.openshift.io/daemonset-dns': 'default' },
        port: 5353,
      },
    ];
    const policies = overlay().all('NetworkPolicy');
    for (const workload of overlay().workloads) {
      for (const protocol of ['UDP', 'TCP']) {
        const isOpen = (to: Server): boolean => letOut(policies, labelsOf(workload), to, protocol);
        for (const server of servers) {
          const { namespace, labels, port } = server;
          expect([server, isOpen(server)]).toEqual([server, true]);
          const others: Server[] = [
            { ...server, port: port === 53 ? 5353 : 53 },
            { namespace: 'other', labels: labels ?? {}, port },
            { namespace: namespace ?? '', labels: { 'k8s-app': 'other' }, port },
            { address: '169.254.169.254', port },
          ];
          for (const other of others) expect([other, isOpen(other)]).toEqual([other, false]);
        }
      }
    }
  });

  it('let Prometheus find the processes under the name that the alerts ask for', () => {
    const [job] = parse(`${FOLDER}prometheus/scrape.yml`) as {
      job_name: string;
      kubernetes_sd_configs: unknown;
    }[];
    const alerts = readFileSync(`${FOLDER}../prometheus/rules/alerts.yml`, 'utf8');
    const asked = new Set([...alerts.matchAll(/\bjob="([^"]*)"/g)].map(([, name]) => name));
    expect([...asked]).toEqual([job!.job_name]);
    expect(job!.kubernetes_sd_configs).toEqual([
      { role: 'pod', namespaces: { names: [overlay().all('Namespace')[0]!.metadata.name] } },
    ]);
  });
}
