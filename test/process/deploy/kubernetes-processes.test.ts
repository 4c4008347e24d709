import { readFileSync } from 'node:fs';

import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';

import { ROLES } from '../../../src/config/config.js';
import { Environment } from '../../../src/config/environment.js';
import { createOpsServer } from '../../../src/ops/ops-server.js';
import { describeOverlay } from '../../support/documents/kubernetes/describe.js';
import { containerOf, portsOf } from '../../support/documents/kubernetes/overlay.js';

const LAST_STEPS_SECONDS = 5;
/** Variables of Node that the service does not read. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS'];

describeOverlay('the processes on Kubernetes', (overlay) => {
  it('run every role, each as processes of its own, with a configuration that the service takes', () => {
    const roles = overlay().deployments.map((deployment) => [
      ...overlay().configOf(deployment).roles,
    ]);
    expect(roles.sort()).toEqual(ROLES.map((role) => [role]).sort());
    for (const workload of overlay().workloads) {
      const { kafka, clickhouse } = overlay().configOf(workload);
      expect(kafka?.sasl).toBeDefined();
      expect(clickhouse?.passwordFile).toBeDefined();
      const unknown = Object.keys(overlay().environmentOf(workload)).filter(
        (name) => !(name in new Environment()) && !OF_NODE.includes(name),
      );
      expect(unknown).toEqual([]);
    }
  });

  it('open the ports that the processes listen on, and no other', () => {
    for (const deployment of overlay().deployments) {
      const { roles, http, opsPort } = overlay().configOf(deployment);
      expect(http.host).toBe('0.0.0.0');
      expect(portsOf(deployment)).toEqual({
        ops: opsPort,
        ...(roles.has('gateway') && { http: http.port }),
      });
    }
    for (const { spec } of overlay().all('Service')) {
      for (const pod of overlay().selectedBy({ matchLabels: spec.selector })) {
        for (const { targetPort } of spec.ports)
          expect(portsOf(pod)).toHaveProperty([String(targetPort)]);
      }
    }
    for (const { spec } of overlay().all('NetworkPolicy')) {
      for (const pod of overlay().selectedBy(spec.podSelector)) {
        for (const { port } of (spec.ingress ?? []).flatMap(({ ports }) => ports)) {
          expect(portsOf(pod)).toHaveProperty([String(port)]);
        }
      }
    }
  });

  it('probe where the process answers', async () => {
    const server = createOpsServer({
      registry: new Registry(),
      readiness: {},
      logger: pino({ level: 'silent' }),
    });
    const port = await server.listen(0, '127.0.0.1');
    try {
      const answers = async (path: string): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}${path}`)).status;
      expect(await answers('/health')).toBe(404);
      for (const deployment of overlay().deployments) {
        const { startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
        expect(readinessProbe?.httpGet.path).toBe('/health/ready');
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          expect(probe?.httpGet.port).toBe('ops');
          expect(await answers(probe!.httpGet.path)).toBe(200);
        }
      }
    } finally {
      await server.close();
    }
  });

  it('give containers neither root, nor a root file system to write to, nor boundless resources', () => {
    for (const workload of overlay().workloads) {
      const { containers, ...pod } = workload.spec.template.spec;
      expect(containers).toHaveLength(1);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(containers[0]).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { cpu: expect.any(String), memory: expect.any(String) },
        },
      });
    }
  });

  it('mount what the processes read and write', () => {
    const page = readFileSync(new URL('../../../docs/kubernetes.md', import.meta.url), 'utf8');
    for (const workload of overlay().workloads) {
      const { volumes } = workload.spec.template.spec;
      const { volumeMounts } = containerOf(workload);
      expect(volumeMounts.map(({ name }) => name).sort()).toEqual(
        volumes.map(({ name }) => name).sort(),
      );
      const environment = overlay().environmentOf(workload);
      const files = Object.entries(environment).filter(([name]) => /_FILE$|_CERTS$/.test(name));
      expect(files.length).toBeGreaterThan(0);
      for (const [, path] of files) {
        const mount = volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
        expect(mount).toMatchObject({ readOnly: true });
        const secret = volumes.find(({ name }) => name === mount!.name)?.secret?.secretName;
        const key = path.slice(mount!.mountPath.length + 1);
        expect(commandFor(page, secret!)).toContain(`--from-file=${key}`);
      }
      if (workload.kind === 'Job') continue;
      const data = volumeMounts.find(({ mountPath }) => mountPath === environment['DATA_DIR']);
      expect(data?.readOnly).toBeUndefined();
      const volume = volumes.find(({ name }) => name === data?.name);
      expect(volume?.emptyDir?.sizeLimit).toBeDefined();
    }
  });

  it('give every process a /tmp, and every volume that it may fill a limit', () => {
    const page = readFileSync(new URL('../../../docs/kubernetes.md', import.meta.url), 'utf8');
    const documented = /`\/tmp` is\s+another `emptyDir`, of (\d+) MiB\./.exec(page)![1]!;
    for (const workload of overlay().workloads) {
      const { volumes } = workload.spec.template.spec;
      const mount = containerOf(workload).volumeMounts.find(
        ({ mountPath }) => mountPath === '/tmp',
      );
      expect(mount).toEqual({ name: expect.any(String), mountPath: '/tmp' });
      const volume = volumes.find(({ name }) => name === mount!.name);
      expect(volume?.emptyDir?.sizeLimit).toBe(`${documented}Mi`);
      for (const { emptyDir } of volumes) {
        if (emptyDir !== undefined) expect(emptyDir.sizeLimit).toMatch(/^\d+[MG]i$/);
      }
    }
  });

  it('leave a stopping process the time that it takes', () => {
    for (const deployment of overlay().deployments) {
      const { shutdownMs } = overlay().configOf(deployment).limits;
      const [command, seconds] = containerOf(deployment).lifecycle?.preStop.exec.command ?? [];
      expect(command).toBe(
        overlay().configOf(deployment).roles.has('gateway') ? 'sleep' : undefined,
      );
      expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
        Number(seconds ?? 0) + shutdownMs / 1_000 + LAST_STEPS_SECONDS,
      );
    }
  });
});

/** Returns the command of the page that creates the Secret, on one line. */
function commandFor(page: string, secret: string): string | undefined {
  return page
    .replaceAll('\\\n', '')
    .split('\n')
    .find((line) => line.includes(`create secret generic ${secret} `));
}
