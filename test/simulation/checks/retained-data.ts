import { memberView, type NodeGroupState } from '@stave/domain';
import { idOf, splitStream, type RecordedEvent } from '@stave/platform';
import type { Outside } from '../processes/ports.js';
import type { ReferenceModel } from './reference-model.js';

interface Fact {
  readonly scope?: 'node' | 'cluster';
  readonly reclaimPolicy?: 'retain' | 'delete';
  readonly nodeId?: string;
  readonly nodeIds?: readonly string[];
  readonly volumeId?: string;
  readonly attachmentId?: string;
  readonly operation?: { readonly discardVolumes?: true };
  readonly placements?: readonly {
    readonly nodeId: string;
    readonly attached?: { readonly volumes?: readonly { readonly id: string; readonly scope: string }[] };
  }[];
}

/**
 * Checks at each event that no removal or rebuild of a node is accepted that takes data of a volume that is to be retained, and that no such data is
 * bound to a node afterwards, unless a user allowed to discard it.
 */
export class RetainedData {
  /** The volumes of node scope that are to be retained. */
  private readonly retained = new Set<string>();
  private readonly bindings = new Map<string, string>();
  /** Nodes whose removal or rebuild was accepted, until they are opened again. */
  private readonly taken = new Set<string>();

  constructor(
    private readonly outside: Outside,
    private readonly reference: ReferenceModel,
  ) {
    outside.log.onEvent(event => this.recorded(event, event.data as Fact));
  }

  private recorded(event: RecordedEvent, fact: Fact): void {
    const { category } = splitStream(event.stream);
    if (category === 'volume') this.noteVolume(event, fact);
    else if (category === 'placement') this.noteLedger(event, fact);
    else if (category === 'nodeGroup' || category === 'node') this.noteTaken(event, fact);
  }

  private noteVolume(event: RecordedEvent, { scope, reclaimPolicy }: Fact): void {
    const id = idOf(event);
    if (event.type === 'VolumeCreated' && scope === 'node' && reclaimPolicy === 'retain') this.retained.add(id);
    if (event.type === 'VolumeUpdated' && reclaimPolicy === 'delete') this.retained.delete(id);
  }

  private noteLedger({ type }: RecordedEvent, { placements = [], ...fact }: Fact): void {
    for (const { nodeId, attached } of placements)
      for (const { id, scope } of attached?.volumes ?? [])
        if (scope === 'node' && !this.bindings.has(id)) this.bind(id, nodeId);
    this.bindings.delete(fact.volumeId !== undefined && type === 'VolumeUnbound' ? fact.volumeId : '');
    this.bindings.delete(fact.attachmentId !== undefined && type === 'AttachmentRemoved' ? fact.attachmentId : '');
    if (type === 'PlacementNodeOpened') this.taken.delete(fact.nodeId ?? '');
  }

  private bind(volumeId: string, nodeId: string): void {
    this.bindings.set(volumeId, nodeId);
    if (this.retained.has(volumeId) && this.taken.has(nodeId))
      this.broken(`volume ${volumeId} is bound to node ${nodeId}, whose removal was accepted`);
  }

  private noteTaken(event: RecordedEvent, { operation }: Fact): void {
    for (const nodeId of this.takenBy(event)) {
      if (this.taken.has(nodeId) || this.isWithoutData(nodeId)) continue;
      this.taken.add(nodeId);
      const lost = [...this.bindings].filter(([id, at]) => at === nodeId && this.retained.has(id)).map(([id]) => id);
      if (lost.length > 0 && !operation?.discardVolumes)
        this.broken(`${event.type} of ${event.stream} takes node ${nodeId} with volumes ${lost.join(', ')}`);
    }
  }

  private takenBy(event: RecordedEvent): readonly string[] {
    const { nodeIds = [] } = event.data as Fact;
    const group: NodeGroupState | undefined = this.reference.groups.get(idOf(event));
    switch (event.type) {
      case 'NodeRemovalAccepted':
        return nodeIds;
      case 'RolloutBatchAccepted':
        return group?.rollout?.kind === 'rebuild' ? nodeIds : [];
      case 'NodeGroupDeletionRequested':
        return [...(group?.members.keys() ?? [])];
      case 'NodeRebuildRequested':
        return [idOf(event)];
      default:
        return [];
    }
  }

  /** What is gone from the cloud has no data, and that of a cluster goes with it. */
  private isWithoutData(nodeId: string): boolean {
    const { nodes, clusters } = this.reference;
    const node = nodes.get(nodeId);
    if (!node) return true;
    const isDeleting = clusters.get(node.declared.clusterId)?.deleting === true;
    return isDeleting || memberView(node, 0).failed?.isGone === true;
  }

  private broken(detail: string): void {
    this.outside.sim.broken('retained-data-lost', detail);
  }
}
