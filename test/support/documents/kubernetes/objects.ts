/** The parts of Kubernetes objects that tests look at. */

export type Labels = Readonly<Record<string, string>>;

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: {
    readonly preStop: { readonly exec: { readonly command: readonly string[] } };
  };
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

export interface Pod {
  readonly containers: readonly [Container];
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: Selector }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly emptyDir?: { readonly sizeLimit: string };
    readonly secret?: { readonly secretName: string };
  }[];
}

interface Kind<Name extends string, Spec> {
  readonly kind: Name;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
  };
  readonly spec: Spec;
}

interface Template {
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
}

export type Deployment = Kind<'Deployment', Template & { readonly selector: Selector }>;
export type Job = Kind<'Job', Template>;

type Port = string | number;

/** To whom a network policy opens ports. */
export interface Peer {
  readonly ipBlock?: { readonly cidr: string };
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
}

export type KubernetesObject =
  | Deployment
  | Job
  | Kind<'Namespace', undefined>
  | (Kind<'ConfigMap', undefined> & { readonly data: Readonly<Record<string, string>> })
  | Kind<'Service', { selector: Labels; ports: readonly { port: number; targetPort: Port }[] }>
  | Kind<'PodDisruptionBudget', { selector: Selector; maxUnavailable: number }>
  | Kind<
      'HorizontalPodAutoscaler',
      {
        scaleTargetRef: { kind: string; name: string };
        minReplicas: number;
        maxReplicas: number;
        metrics: readonly {
          type: string;
          external?: { metric: { name: string; selector: Selector } };
        }[];
      }
    >
  | Kind<
      'PodMonitor',
      {
        jobLabel: string;
        selector: Selector;
        namespaceSelector?: unknown;
        podMetricsEndpoints: readonly {
          port: string;
          interval: string;
          relabelings: readonly { sourceLabels: readonly string[]; targetLabel: string }[];
        }[];
      }
    >
  | Kind<'PrometheusRule', { groups: readonly unknown[] }>
  | Kind<
      'NetworkPolicy',
      {
        podSelector: Selector;
        policyTypes: readonly ('Ingress' | 'Egress')[];
        ingress?: readonly { ports: readonly { port: Port }[] }[];
        egress?: readonly {
          to: readonly Peer[];
          ports: readonly { port: Port; protocol?: string }[];
        }[];
      }
    >;

export type Of<Name extends KubernetesObject['kind']> = Extract<KubernetesObject, { kind: Name }>;

/** Whether a selector matches pods with these labels. One without conditions matches all pods. */
export function selects(selector: Selector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`the operator ${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}
