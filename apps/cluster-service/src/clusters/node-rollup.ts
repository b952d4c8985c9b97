import { isNodeInService, nodeStream, type NodeCounts, type NodeState } from '@stave/domain';
import { ResourceModel, type Folded } from '@stave/service-kit';
import type { EventStore, RecordedEvent } from '@stave/platform';

/** The attributes by which a node is counted. */
interface Place {
  readonly clusterId: string;
  readonly role: string;
  readonly status: string;
  readonly ready: boolean;
}

/** The nodes of one cluster with the same attributes. */
interface Part extends Place {
  readonly ids: Set<string>;
}

interface Parts {
  readonly byKey: Map<string, Part>;
  position: number;
}

const keyOf = ({ role, status, ready }: Place): string => `${role} ${status} ${String(ready)}`;

const isSame = (a: Place, b: Place): boolean => a.status === b.status && a.ready === b.ready && a.role === b.role;

function placeOf(state: NodeState): Place | undefined {
  const { declared, deleted, status } = state;
  if (!declared || deleted) return undefined;
  const { clusterId, spec } = declared;
  return { clusterId, role: spec.role, status, ready: isNodeInService(state) };
}

/** Counts the nodes of clusters by role and status, as sets of ids: an event that is applied twice counts once. */
export class NodeRollup {
  private readonly nodes: ResourceModel<NodeState>;
  private readonly places = new Map<string, Part>();
  private readonly clusters = new Map<string, Parts>();

  readonly unfolded = ['places', 'clusters'];

  get folded(): Folded['folded'] {
    const { nodes } = this;
    const places = { save: () => this.savedPlaces(), restore: (saved: unknown) => this.restorePlaces(saved) };
    const positions = { save: () => this.savedPositions(), restore: (saved: unknown) => this.restorePositions(saved) };
    return { nodes, places, positions };
  }

  constructor(store: EventStore) {
    this.nodes = new ResourceModel(nodeStream, store);
  }

  /** Applies an event. Returns the cluster whose counts it changes; undefined where it changes none. */
  take(id: string, event: RecordedEvent): string | undefined {
    this.nodes.apply(event);
    const before = this.places.get(id);
    const state = this.nodes.get(id);
    const after = state && placeOf(state);
    if (before && after && isSame(before, after)) return undefined;
    const clusterId = (after ?? before)?.clusterId;
    if (clusterId === undefined) return undefined;
    before?.ids.delete(id);
    if (after) this.put(id, after);
    else this.places.delete(id);
    this.partsOf(clusterId).position = event.position;
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

  /** Returns copies of the attributes as of the last event of the feed. */
  private savedPlaces(): ReadonlyMap<string, Place> {
    const bare = new Map<Part, Place>();
    const placeIn = (part: Part): Place => {
      const { clusterId, role, status, ready } = part;
      const place = bare.get(part) ?? { clusterId, role, status, ready };
      bare.set(part, place);
      return place;
    };
    return new Map([...this.places].map(([id, part]) => [id, placeIn(part)]));
  }

  private restorePlaces(saved: unknown): void {
    for (const [id, place] of saved as ReturnType<NodeRollup['savedPlaces']>) this.put(id, place);
  }

  private savedPositions(): ReadonlyMap<string, number> {
    return new Map([...this.clusters].map(([id, { position }]) => [id, position]));
  }

  private restorePositions(saved: unknown): void {
    for (const [id, position] of saved as ReturnType<NodeRollup['savedPositions']>)
      this.partsOf(id).position = position;
  }

  private put(id: string, place: Place): void {
    const { byKey } = this.partsOf(place.clusterId);
    const key = keyOf(place);
    const part = byKey.get(key) ?? { ...place, ids: new Set() };
    byKey.set(key, part);
    part.ids.add(id);
    this.places.set(id, part);
  }

  private partsOf(clusterId: string): Parts {
    const known = this.clusters.get(clusterId);
    if (known) return known;
    const made: Parts = { byKey: new Map(), position: -1 };
    this.clusters.set(clusterId, made);
    return made;
  }
}
