import { conflict, getOrCreate, type VolumeDeclaration } from '@stave/domain';
import { RefusedError } from '@stave/contracts';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Folded } from '../snapshots/snapshot-fields.js';

interface HeldVolume {
  readonly name: string;
  readonly clusterId: string;
  readonly retained: boolean;
  readonly nodeId?: string;
}

type Data = Partial<VolumeDeclaration> & { readonly nodeId?: string };

/** The volumes of node scope that are to be retained, by the node that has their data. */
export class HeldVolumes implements Folded {
  private readonly volumes = new Map<string, HeldVolume>();
  private readonly byNode = new Map<string, Set<string>>();
  /** The nodes with such data, by cluster. */
  private readonly nodesOf = new Map<string, Set<string>>();
  readonly folded = { volumes: this.volumes, byNode: this.byNode, nodesOf: this.nodesOf };

  /** Returns the names of the volumes whose data would be lost with these nodes. */
  on(nodeIds: Iterable<string>): readonly string[] {
    if (this.isEmpty) return [];
    return [...nodeIds].flatMap(nodeId =>
      [...(this.byNode.get(nodeId) ?? [])].flatMap(id => {
        const volume = this.volumes.get(id);
        return volume?.retained ? [volume.name] : [];
      }),
    );
  }

  /** Whether the node has data of such volumes. */
  holds(nodeId: string): boolean {
    for (const id of this.byNode.get(nodeId) ?? []) if (this.volumes.get(id)?.retained) return true;
    return false;
  }

  /** As {@link on}, of all nodes of the cluster. */
  inCluster(clusterId: string): readonly string[] {
    return this.on(this.nodesOf.get(clusterId) ?? []);
  }

  /** Whether no node has such data. */
  get isEmpty(): boolean {
    return this.byNode.size === 0;
  }

  /** Returns the node whose data, or what is to become of it, the event changes; undefined where it changes none. */
  note(event: RecordedEvent): string | undefined {
    const before = this.volumes.get(idOf(event))?.nodeId;
    this.take(event);
    const after = this.volumes.get(idOf(event))?.nodeId;
    const isOfData = before !== after || event.type === 'VolumeUpdated';
    return isOfData ? (after ?? before) : undefined;
  }

  private take(event: RecordedEvent): void {
    const id = idOf(event);
    const { name = '', clusterId = '', scope, reclaimPolicy, nodeId } = event.data as Data;
    const known = this.volumes.get(id);
    if (event.type === 'VolumeCreated' && scope === 'node')
      this.volumes.set(id, { name, clusterId, retained: reclaimPolicy === 'retain' });
    if (!known) return;
    if (event.type === 'VolumeUpdated') this.volumes.set(id, { ...known, retained: reclaimPolicy === 'retain' });
    if (event.type === 'VolumeBound' && nodeId !== undefined) this.bind(id, known, nodeId);
    if (event.type === 'VolumeRebound' || event.type === 'VolumeLost') this.unbind(id, known);
    if (event.type !== 'VolumeDeleted') return;
    this.unbind(id, known);
    this.volumes.delete(id);
  }

  private bind(id: string, volume: HeldVolume, nodeId: string): void {
    this.volumes.set(id, { ...volume, nodeId });
    getOrCreate(this.byNode, nodeId, () => new Set<string>()).add(id);
    getOrCreate(this.nodesOf, volume.clusterId, () => new Set<string>()).add(nodeId);
  }

  private unbind(id: string, { nodeId = '', ...volume }: HeldVolume): void {
    const others = this.byNode.get(nodeId);
    others?.delete(id);
    if (others?.size === 0) this.forgetNode(volume.clusterId, nodeId);
    this.volumes.set(id, volume);
  }

  private forgetNode(clusterId: string, nodeId: string): void {
    this.byNode.delete(nodeId);
    const nodes = this.nodesOf.get(clusterId);
    nodes?.delete(nodeId);
    if (nodes?.size === 0) this.nodesOf.delete(clusterId);
  }
}

/** Returns the refusal of a request that would lose the data of these volumes. */
export function holdsVolumes(names: readonly string[], instead = 'discardVolumes allows it'): RefusedError {
  const detail = `the data of these volumes would be lost: ${names.slice(0, 5).join(', ')}; ${instead}`;
  return new RefusedError({ ...conflict('holds-volumes', detail), extra: { volumes: names.slice(0, 20) } });
}
