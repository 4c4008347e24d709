import { type Labels, type Of, type Peer, selects } from './objects.js';

/** Where a pod sends to. */
export interface Server {
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly address?: string;
  readonly port: number;
}

/** Whether the policies let pods with these labels send to the server. */
export function letOut(
  policies: readonly Of<'NetworkPolicy'>[],
  from: Labels,
  to: Server,
  protocol: string,
): boolean {
  return policies
    .filter(({ spec }) => selects(spec.podSelector, from))
    .flatMap(({ spec }) => spec.egress ?? [])
    .some(
      (rule) =>
        rule.ports.some((each) => each.port === to.port && (each.protocol ?? 'TCP') === protocol) &&
        rule.to.some((peer) => isMeant(peer, to)),
    );
}

function isMeant({ ipBlock, namespaceSelector, podSelector = {} }: Peer, to: Server): boolean {
  if (ipBlock !== undefined) return ipBlock.cidr === `${to.address ?? ''}/32`;
  if (namespaceSelector === undefined) throw new Error('peers in the own namespace are not known');
  const namespace = { 'kubernetes.io/metadata.name': to.namespace ?? '' };
  return selects(namespaceSelector, namespace) && selects(podSelector, to.labels ?? {});
}
