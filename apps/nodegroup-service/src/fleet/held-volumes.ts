import { getOrCreate, type VolumeDeclaration } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Folded } from '@stave/service-kit';

interface HeldVolume {
  readonly name: string;
  readonly retained: boolean;
  readonly nodeId?: string;
}

type Data = Partial<VolumeDeclaration> & { readonly nodeId?: string };

/** The volumes of node scope that are to be retained, by the node that has their data. */
export class HeldVolumes implements Folded {
  private readonly volumes = new Map<string, HeldVolume>();
  private readonly byNode = new Map<string, Set<string>>();
  readonly folded = { volumes: this.volumes, byNode: this.byNode };

  /** Returns the names of the volumes whose data would be lost with these nodes. */
  on(nodeIds: Iterable<string>): readonly string[] {
    if (this.byNode.size === 0) return [];
    return [...nodeIds].flatMap(nodeId =>
      [...(this.byNode.get(nodeId) ?? [])].flatMap(id => {
        const volume = this.volumes.get(id);
        return volume?.retained ? [volume.name] : [];
      }),
    );
  }

  note(event: RecordedEvent): void {
    const id = idOf(event);
    const { name = '', scope, reclaimPolicy, nodeId } = event.data as Data;
    const known = this.volumes.get(id);
    if (event.type === 'VolumeCreated' && scope === 'node')
      this.volumes.set(id, { name, retained: reclaimPolicy === 'retain' });
    if (!known) return;
    if (event.type === 'VolumeUpdated') this.volumes.set(id, { ...known, retained: reclaimPolicy === 'retain' });
    if (event.type === 'VolumeBound' && nodeId !== undefined) this.bind(id, known, nodeId);
    if (event.type === 'VolumeRebound' || event.type === 'VolumeLost') this.unbind(id, known);
    if (event.type !== 'VolumeDeleted') return;
    this.unbind(id, known);
    this.volumes.delete(id);
  }

  private bind(id: string, { name, retained }: HeldVolume, nodeId: string): void {
    this.volumes.set(id, { name, retained, nodeId });
    getOrCreate(this.byNode, nodeId, () => new Set<string>()).add(id);
  }

  private unbind(id: string, { nodeId = '', name, retained }: HeldVolume): void {
    const others = this.byNode.get(nodeId);
    others?.delete(id);
    if (others?.size === 0) this.byNode.delete(nodeId);
    this.volumes.set(id, { name, retained });
  }
}
