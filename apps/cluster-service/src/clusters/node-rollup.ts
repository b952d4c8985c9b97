import { getOrCreate, isNodeInService, nodeStream, type NodeCounts, type NodeState } from '@stave/domain';
import { ResourceModel, retention, type Folded, type Retention } from '@stave/service-kit';
import type { EventStore, RecordedEvent } from '@stave/platform';

/** The attributes by which a node is counted. */
interface Attributes {
  readonly clusterId: string;
  readonly role: string;
  readonly status: string;
  readonly ready: boolean;
}

/** The nodes of one cluster with the same attributes. */
interface Bucket extends Attributes {
  readonly ids: Set<string>;
}

interface ClusterBuckets {
  readonly byKey: Map<string, Bucket>;
  position: number;
}

const keyOf = ({ role, status, ready }: Attributes): string => `${role} ${status} ${String(ready)}`;

const isSame = (a: Attributes, b: Attributes): boolean =>
  a.status === b.status && a.ready === b.ready && a.role === b.role;

function attributesOf(state: NodeState): Attributes | undefined {
  const { declared, deleted, status } = state;
  if (deleted) return undefined;
  const { clusterId, spec } = declared;
  return { clusterId, role: spec.role, status, ready: isNodeInService(state) };
}

/** Counts the nodes of clusters by role and status, as sets of ids: an event that is applied twice counts once. */
export class NodeRollup {
  private readonly nodes: ResourceModel<NodeState>;
  private readonly buckets = new Map<string, Bucket>();
  private readonly clusters = new Map<string, ClusterBuckets>();

  /** Saved and restored by `folded` in another form; see `Folded`. */
  readonly unfolded = ['buckets', 'clusters'];

  get folded(): Folded['folded'] {
    const { nodes } = this;
    const buckets = { save: () => this.savedAttributes(), restore: (saved: unknown) => this.restoreAttributes(saved) };
    const positions = { save: () => this.savedPositions(), restore: (saved: unknown) => this.restorePositions(saved) };
    return { nodes, buckets, positions };
  }

  constructor(store: EventStore) {
    this.nodes = new ResourceModel<NodeState>(nodeStream, store);
  }

  retentions(): readonly Retention[] {
    return [retention(this.nodes)];
  }

  /** Forgets a cluster that has no nodes any more. */
  forgetCluster(id: string): void {
    this.clusters.delete(id);
  }

  /** Applies an event. Returns the cluster whose counts it changes; undefined where it changes none. */
  take(id: string, event: RecordedEvent): string | undefined {
    this.nodes.apply(event);
    const before = this.buckets.get(id);
    const state = this.nodes.get(id);
    const after = state && attributesOf(state);
    if (before && after && isSame(before, after)) return undefined;
    const clusterId = (after ?? before)?.clusterId;
    if (clusterId === undefined) return undefined;
    before?.ids.delete(id);
    if (after) this.put(id, after);
    else this.buckets.delete(id);
    this.bucketsOf(clusterId).position = event.position;
    return clusterId;
  }

  counts(clusterId: string): NodeCounts {
    const byStatus: Record<string, number> = {};
    const byRole: Record<string, { total: number; ready: number }> = {};
    const sum = { total: 0, ready: 0 };
    for (const { role, status, ready, ids } of this.clusters.get(clusterId)?.byKey.values() ?? []) {
      if (ids.size === 0) continue;
      const ofRole = (byRole[role] ??= { total: 0, ready: 0 });
      byStatus[status] = (byStatus[status] ?? 0) + ids.size;
      for (const one of [sum, ofRole]) {
        one.total += ids.size;
        one.ready += ready ? ids.size : 0;
      }
    }
    return { ...sum, byStatus, byRole };
  }

  /** Returns the position of the last event that changed the counts; -1 without one. */
  position(clusterId: string): number {
    return this.clusters.get(clusterId)?.position ?? -1;
  }

  /** Returns copies of the attributes as of the last event of the feed; nodes with the same attributes share one. */
  private savedAttributes(): ReadonlyMap<string, Attributes> {
    const copies = new Map<Bucket, Attributes>();
    const copyOf = (bucket: Bucket): Attributes => {
      const { clusterId, role, status, ready } = bucket;
      return getOrCreate(copies, bucket, () => ({ clusterId, role, status, ready }));
    };
    return new Map([...this.buckets].map(([id, bucket]) => [id, copyOf(bucket)]));
  }

  private restoreAttributes(saved: unknown): void {
    for (const [id, attributes] of saved as ReturnType<NodeRollup['savedAttributes']>) this.put(id, attributes);
  }

  private savedPositions(): ReadonlyMap<string, number> {
    return new Map([...this.clusters].map(([id, { position }]) => [id, position]));
  }

  private restorePositions(saved: unknown): void {
    for (const [id, position] of saved as ReturnType<NodeRollup['savedPositions']>)
      this.bucketsOf(id).position = position;
  }

  private put(id: string, attributes: Attributes): void {
    const { byKey } = this.bucketsOf(attributes.clusterId);
    const bucket = getOrCreate(byKey, keyOf(attributes), (): Bucket => ({ ...attributes, ids: new Set() }));
    bucket.ids.add(id);
    this.buckets.set(id, bucket);
  }

  private bucketsOf(clusterId: string): ClusterBuckets {
    const known = this.clusters.get(clusterId);
    if (known) return known;
    const made: ClusterBuckets = { byKey: new Map(), position: -1 };
    this.clusters.set(clusterId, made);
    return made;
  }
}
