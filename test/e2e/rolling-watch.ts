import { readJournal } from '@stave/driver-fake';
import type { Fleet } from './fleet.js';
import type { CloudEventView, NodeView } from './views.js';

/** The node counts of a cluster after one event. */
export interface NodeCounts {
  /** The number of existing nodes: declared and not removed, without those that failed or were lost. */
  readonly existing: number;
  readonly ready: number;
}

type NodeEvent = CloudEventView & { readonly actor: string; readonly data: Readonly<Record<string, unknown>> };
type Known = 'existing' | 'ready' | 'failed' | 'deleted';

const becomes: Readonly<Record<string, Known>> = {
  NodeDeclared: 'existing',
  NodeBecameActive: 'ready',
  NodeBecameUnreachable: 'failed',
  NodeRemovalRequested: 'existing',
  NodeRolloutRequested: 'existing',
  NodeDeleted: 'deleted',
};

/** Converts the type of a CloudEvent, such as `stave.node.becameActive.v1`, to the event type `NodeBecameActive`. */
const typeOf = ({ type }: CloudEventView): string => {
  const [, , what = ''] = type.split('.');
  return `Node${what.charAt(0).toUpperCase()}${what.slice(1)}`;
};

/** Returns who has decided what happened in the cluster for this reason, each once. */
export async function actorsOf(fleet: Fleet, clusterId: string, reason: string): Promise<readonly string[]> {
  const events = await eventsOf(fleet, clusterId);
  const decided = events.filter(({ subject, data }) => subject.startsWith('nodeGroup/') && data['reason'] === reason);
  return [...new Set(decided.map(({ actor }) => actor))];
}

/** Returns all events of the cluster, oldest first. */
export async function eventsOf(fleet: Fleet, clusterId: string, since = 'start'): Promise<readonly NodeEvent[]> {
  const all: NodeEvent[] = [];
  for (let from = since; ;) {
    const path = `/v1/events?cluster=${clusterId}&limit=500&since=${from}`;
    const items = await fleet.api.list<NodeEvent>(path);
    all.push(...items);
    const last = items.at(-1);
    if (!last) return all;
    from = last.position;
  }
}

/** Returns the node counts after each event of a node. */
export function nodeCountsAfterEach(events: readonly NodeEvent[]): readonly NodeCounts[] {
  const nodes = new Map<string, Known>();
  const seen: NodeCounts[] = [];
  for (const event of events) {
    if (!event.subject.startsWith('node/')) continue;
    const before = nodes.get(event.subject);
    const retriesExhausted = event.type.includes('taskFailed') && event.data['retryAt'] === undefined;
    const next = retriesExhausted ? 'failed' : becomes[typeOf(event)];
    if (next === undefined || (before === 'failed' && next !== 'deleted' && next !== 'ready')) continue;
    nodes.set(event.subject, next);
    const count = (...of: readonly Known[]): number => [...nodes.values()].filter(n => of.includes(n)).length;
    seen.push({ existing: count('existing', 'ready'), ready: count('ready') });
  }
  return seen;
}

/** Returns the ids of the nodes that the fake cloud has updated in place with this text in the journal. */
export async function nodesUpdatedWith(path: string, what: string, nodes: readonly NodeView[]): Promise<string[]> {
  const found = new Set<string>();
  for await (const entry of readJournal(path)) {
    const line = JSON.stringify(entry);
    const node = nodes.find(n => line.includes(n.id));
    if (node && entry.effect === 'update' && line.includes(what)) found.add(node.id);
  }
  return [...found];
}
