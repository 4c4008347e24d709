import type { Config } from '../../../../src/config/config.js';
import { readConfig } from '../../../../src/config/read-config.js';
import { build, type Checked } from './build.js';
import {
  type Container,
  type Deployment,
  type Job,
  type KubernetesObject,
  type Labels,
  type Of,
  type Selector,
  selects,
} from './objects.js';

export type Workload = Deployment | Job;

/** The objects of a built overlay, and how they belong together. */
export class Overlay {
  readonly checked: readonly Checked[];

  /** @param schemas see `build` */
  constructor(folder: string, schemas: readonly string[]) {
    this.checked = build(folder, schemas);
  }

  /** @throws Error when there is no such object */
  all<Kind extends KubernetesObject['kind']>(kind: Kind): Of<Kind>[] {
    const found = this.checked.map(({ object }) => object).filter((each) => each.kind === kind);
    if (found.length === 0) throw new Error(`there is no ${kind}`);
    return found as Of<Kind>[];
  }

  get deployments(): Deployment[] {
    return this.all('Deployment');
  }

  get workloads(): Workload[] {
    return [...this.deployments, ...this.all('Job')];
  }

  selectedBy(selector: Selector): Deployment[] {
    return this.deployments.filter((each) => selects(selector, labelsOf(each)));
  }

  environmentOf(workload: Workload): Record<string, string> {
    const { env = [], envFrom } = containerOf(workload);
    const maps = envFrom.map(({ configMapRef }) => {
      return this.all('ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name)!;
    });
    const entries = [
      ...maps.flatMap(({ data }) => Object.entries(data)),
      ...env.map(({ name, value }) => [name, value] as const),
    ];
    return Object.fromEntries(entries);
  }

  /** The configuration as the workload's processes read it. */
  configOf(workload: Workload): Config {
    return readConfig(this.environmentOf(workload));
  }
}

export function containerOf({ spec }: Workload): Container {
  return spec.template.spec.containers[0];
}

export function labelsOf({ spec }: Workload): Labels {
  return spec.template.metadata.labels;
}

export function portsOf(workload: Workload): Record<string, number> {
  const { ports = [] } = containerOf(workload);
  return Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]));
}
