import { awaitsMachine, type MachineNeed, type MachineState, type NodeState } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import type { Folded, ResourceChanged, ResourceModel } from '@stave/service-kit';

/** Which machines can be claimed, for which node each of the others is claimed, and which nodes wait for one. */
export class MachinePool implements Folded {
  private readonly available = new Set<string>();
  /** The machines that can be claimed, by each of the traits that a node may ask for; and those traits by the machine. */
  private readonly byTrait = new Map<string, Set<string>>();
  private readonly traitsOf = new Map<string, readonly string[]>();
  /** The machine by its node. */
  private readonly byNode = new Map<string, string>();
  private readonly nodeOf = new Map<string, string>();
  private readonly waitingNodes = new Set<string>();

  readonly folded = {
    available: this.available,
    byTrait: this.byTrait,
    traitsOf: this.traitsOf,
    byNode: this.byNode,
    nodeOf: this.nodeOf,
    waitingNodes: this.waitingNodes,
  };

  /**
   * Returns machines that can be claimed, among them all that have what the node needs: those with the rarest trait that it asks for, so
   * that a claim does not examine every machine of the installation.
   */
  offered({ conductorGroup, selector, zone, region }: Wanted): Iterable<string> {
    const sets = traits({ conductorGroup, labels: selector, zone, region }).map(trait => this.byTrait.get(trait));
    let fewest: ReadonlySet<string> | undefined;
    for (const set of sets) {
      if (!set) return [];
      if (fewest === undefined || set.size < fewest.size) fewest = set;
    }
    return fewest ?? [];
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
    this.noteTraits(id, isFree ? traits(machine) : []);
    return { isOffered, nodeId: nodeId ?? before };
  }

  private noteTraits(id: string, now: readonly string[]): void {
    for (const trait of this.traitsOf.get(id) ?? []) {
      const machines = this.byTrait.get(trait);
      machines?.delete(id);
      if (machines?.size === 0) this.byTrait.delete(trait);
    }
    if (now.length === 0) this.traitsOf.delete(id);
    else this.traitsOf.set(id, now);
    for (const trait of now) {
      const machines = this.byTrait.get(trait) ?? new Set<string>();
      machines.add(id);
      this.byTrait.set(trait, machines);
    }
  }
}

type Wanted = Pick<MachineNeed, 'conductorGroup' | 'selector' | 'zone' | 'region'>;

interface Place {
  readonly conductorGroup: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly zone?: string | null | undefined;
  readonly region?: string | null | undefined;
}

/** Returns what a node may ask for, one text each. */
function traits({ conductorGroup, labels, zone, region }: Place): readonly string[] {
  return [
    JSON.stringify(['group', conductorGroup.toLowerCase()]),
    ...Object.entries(labels).map(([key, value]) => JSON.stringify(['label', key, value])),
    ...(typeof zone === 'string' ? [JSON.stringify(['zone', zone])] : []),
    ...(typeof region === 'string' ? [JSON.stringify(['region', region])] : []),
  ];
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
