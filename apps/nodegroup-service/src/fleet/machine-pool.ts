import { awaitsMachine, type MachineState, type NodeState } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Folded, ResourceChanged, ResourceModel } from '@stave/service-kit';

/** Which machines can be claimed, for which node each of the others is claimed, and which nodes wait for one. */
export class MachinePool implements Folded {
  private readonly available = new Set<string>();
  /** The machine by its node. */
  private readonly byNode = new Map<string, string>();
  private readonly nodeOf = new Map<string, string>();
  private readonly waitingNodes = new Set<string>();

  readonly folded = {
    available: this.available,
    byNode: this.byNode,
    nodeOf: this.nodeOf,
    waitingNodes: this.waitingNodes,
  };

  /** The machines that can be claimed. */
  get offered(): Iterable<string> {
    return this.available;
  }

  /** The nodes that wait for a machine. */
  get waiting(): Iterable<string> {
    return this.waitingNodes;
  }

  /** Returns the machine that is claimed for the node. */
  claimedFor(nodeId: string): string | undefined {
    return this.byNode.get(nodeId);
  }

  /** Returns the machine that the node is made of, or that is claimed for it. */
  noteNode(id: string, node: NodeState | undefined): string | undefined {
    if (node && awaitsMachine(node)) this.waitingNodes.add(id);
    else this.waitingNodes.delete(id);
    return node?.machineId ?? this.byNode.get(id);
  }

  /** Returns whether the machine can be claimed now and could not before, and the node that it is or was claimed for. */
  noteMachine(
    id: string,
    machine: MachineState | undefined,
  ): { readonly isOffered: boolean; readonly nodeId: string | undefined } {
    const before = this.nodeOf.get(id);
    const nodeId = machine && !machine.deleted ? machine.claim?.nodeId : undefined;
    if (before !== undefined && before !== nodeId) {
      this.nodeOf.delete(id);
      if (this.byNode.get(before) === id) this.byNode.delete(before);
    }
    if (nodeId !== undefined) {
      this.nodeOf.set(id, nodeId);
      this.byNode.set(nodeId, id);
    }
    const isFree = machine !== undefined && !machine.deleted && machine.status === 'AVAILABLE' && !machine.draining;
    const isOffered = isFree && !this.available.has(id);
    if (isFree) this.available.add(id);
    else this.available.delete(id);
    return { isOffered, nodeId: nodeId ?? before };
  }
}

interface FollowedMachines {
  readonly machines: ResourceModel<MachineState>;
  readonly machinePool: MachinePool;
}

/** Folds an event of a machine. Nodes that wait for a machine are reported when one becomes available. */
export function followMachine(
  { machines, machinePool }: FollowedMachines,
  event: RecordedEvent,
  changed: ResourceChanged,
): void {
  const id = idOf(event);
  machines.apply(event);
  const { isOffered, nodeId } = machinePool.noteMachine(id, machines.get(id));
  changed('machine', id, event);
  if (nodeId !== undefined) changed('node', nodeId, event);
  if (isOffered) for (const waiting of machinePool.waiting) changed('node', waiting, event);
}
