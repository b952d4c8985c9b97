import type { Labels } from '@stave/driver-sdk';

/** The label by which a node of Kubernetes is known as one of Stave. */
export const nodeLabel = 'stave.node';

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** The parts of objects of Kubernetes that the operations show. */
export interface ApiNode {
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly status: {
    readonly conditions?: readonly Condition[];
    readonly nodeInfo: { readonly kubeletVersion: string };
  };
}

export interface ApiPod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export interface ApiEvent {
  readonly metadata: { readonly namespace: string };
  readonly involvedObject: { readonly kind?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

const isReady = ({ conditions = [] }: { readonly conditions?: readonly Condition[] }): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

/** Returns the ids of nodes by their names in Kubernetes. */
export const idsByName = (nodes: readonly ApiNode[]): ReadonlyMap<string, string | undefined> =>
  new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels?.[nodeLabel]]));

export function shownNode({ metadata: { name, labels = {} }, status }: ApiNode) {
  const nodeId = labels[nodeLabel];
  const version = status.nodeInfo.kubeletVersion.replace(/^v/, '');
  return { name, ...(nodeId !== undefined && { nodeId }), ready: isReady(status), version, labels };
}

export function shownPod({ metadata, spec, status }: ApiPod, ids: ReturnType<typeof idsByName>) {
  const { namespace, name } = metadata;
  const nodeId = spec.nodeName === undefined ? undefined : ids.get(spec.nodeName);
  const { phase = 'Unknown' } = status;
  return { namespace, name, ...(nodeId !== undefined && { nodeId }), phase, ready: isReady(status) };
}

/** An event has its count and time in one of two places, by the version of the program that wrote it. */
export function shownEvent(event: ApiEvent) {
  const { involvedObject, metadata, series, type = 'Normal', reason = '', message = '' } = event;
  const { kind = '', name = '' } = involvedObject;
  const at = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? undefined;
  const count = series?.count ?? event.count ?? 1;
  return { namespace: metadata.namespace, type, reason, message, kind, name, count, ...(at !== undefined && { at }) };
}
