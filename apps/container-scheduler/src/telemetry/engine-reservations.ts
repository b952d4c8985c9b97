import type { UsageSamples } from '@stave/contracts';
import type { NodeState, NodeView } from '@stave/domain';
import type { SampledNode } from '@stave/service-kit';
import type { SnapshotChanges } from '../scheduling/snapshot-changes.js';

type Resources = NodeView['capacity'];

const nothing: Resources = { cpus: 0, memoryMb: 0 };

/**
 * What engines hold on their nodes for workloads that are not containers of Stave, in memory. The last known value holds until another one
 * arrives: silence does not make room.
 */
export class EngineReservations {
  private readonly byNode = new Map<string, Resources>();
  private readonly daemonsByGroup = new Map<string, Resources>();

  /** `changes`: where nodes are noted of which another value is known than before. */
  constructor(
    private readonly nodes: { readonly get: (id: string) => NodeState | undefined },
    private readonly changes: Pick<SnapshotChanges, 'in'>,
  ) {}

  /** `of`: the nodes of the samples in their order; the samples of others are not taken. */
  add({ reserved }: UsageSamples, of: readonly (Pick<SampledNode, 'id'> | undefined)[]): void {
    reserved?.forEach((value, i) => {
      const id = of[i]?.id ?? '';
      const node = this.nodes.get(id);
      const [held, daemons] = [amountsIn(value), amountsIn(value?.daemons)];
      if (!node || node.deleted || !held || !daemons) return;
      this.daemonsByGroup.set(node.declared.nodeGroupId, daemons);
      const before = this.byNode.get(id) ?? nothing;
      if (before.cpus === held.cpus && before.memoryMb === held.memoryMb) return;
      this.byNode.set(id, held);
      this.changes.in(node.declared.clusterId)?.node(id);
    });
  }

  /** Returns the part of the capacity of a node that its engine holds. */
  heldOf(nodeId: string, capacity: Resources): Resources {
    return within(capacity, this.byNode.get(nodeId) ?? nothing);
  }

  /** Returns the part of the capacity of a node that is left for containers of Stave. */
  leftOf(nodeId: string, capacity: Resources): Resources {
    const { cpus, memoryMb } = this.heldOf(nodeId, capacity);
    return { cpus: capacity.cpus - cpus, memoryMb: capacity.memoryMb - memoryMb };
  }

  /** Returns what the engine will hold on a new node of the group, as far as one was seen. */
  onNewNode(groupId: string, capacity: Resources): Resources {
    return within(capacity, this.daemonsByGroup.get(groupId) ?? nothing);
  }

  forgetNode(nodeId: string): void {
    this.byNode.delete(nodeId);
  }

  forgetGroup(groupId: string): void {
    this.daemonsByGroup.delete(groupId);
  }
}

const within = (capacity: Resources, { cpus, memoryMb }: Resources): Resources => ({
  cpus: Math.min(cpus, capacity.cpus),
  memoryMb: Math.min(memoryMb, capacity.memoryMb),
});

/** Returns the amounts of a message; undefined where it has none. */
function amountsIn(value: unknown): Resources | undefined {
  const { cpus, memoryMb }: Partial<Record<keyof Resources, unknown>> = Object(value);
  return isAmount(cpus) && isAmount(memoryMb) ? { cpus, memoryMb } : undefined;
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;
