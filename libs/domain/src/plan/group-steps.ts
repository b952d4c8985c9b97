import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import type { MemberDeclaration, NodeGroupEvent } from '../node-group/node-group-events.js';
import { ROLLING_REPLACEMENT, type NodeGroupState, type NodeRolloutKind } from '../node-group/node-group-state.js';
import type { PlanStep } from './plan.js';

const turns: Readonly<Record<NodeRolloutKind, string>> = {
  rebuild: 'rebuild',
  softReboot: 'soft reboot',
  hardReboot: 'hard reboot',
};

type Begun = Omit<PlanStep, 'resource'>;

/** Collects what happens to each node of a group from the events of the group. */
export class GroupSteps {
  /** The steps by node id, in the order in which they begin. */
  private readonly begun = new Map<string, Begun>();
  /** The nodes that the events added, with the node that each replaces, if there is one. */
  private readonly made = new Map<string, string | undefined>();
  /** Nodes that are removed to be replaced and have no successor yet. */
  private readonly vacant: string[] = [];
  private readonly names = new Map<string, string>();

  constructor(
    private state: NodeGroupState,
    private readonly failed: ReadonlySet<string>,
  ) {
    for (const { id, leaving, reason, replaces, ordinal } of state.members.values()) {
      if (leaving) this.begun.set(id, { action: 'remove', reason });
      else if (state.members.get(replaces ?? '')?.leaving === false)
        this.begun.set(replaces ?? '', { action: 'replace', reason, by: this.name(ordinal) });
    }
  }

  take(event: NodeGroupEvent): void {
    const before = this.state;
    this.state = nodeGroupStream.evolve(before, event, before.updatedAt);
    switch (event.type) {
      case 'NodesAdded':
        for (const node of event.data.nodes) this.add(node, event.data.reason);
        break;
      case 'NodeReplacementAccepted':
        this.add(event.data.successor, 'replacement');
        break;
      case 'NodeRemovalAccepted':
        for (const id of event.data.nodeIds)
          if (before.members.get(id)?.leaving === false) this.remove(id, event.data.reason);
        break;
      case 'RolloutBatchAccepted':
        for (const id of event.data.nodeIds)
          this.begun.set(id, { action: 'change', reason: turns[before.rollout?.kind ?? 'rebuild'] });
        break;
      case 'NodeGroupUpdated':
        if (this.state.metadataGeneration !== before.metadataGeneration) this.retag(before);
        break;
      default:
    }
  }

  private retag({ members }: NodeGroupState): void {
    for (const { id, leaving } of members.values())
      if (!leaving && !this.made.has(id) && !this.failed.has(id))
        this.begun.set(id, { action: 'change', reason: 'labels, taints or options' });
  }

  steps(first: NodeGroupState): readonly PlanStep[] {
    const kept = [...first.members.keys()].filter(id => !this.begun.has(id));
    const named = (id: string): PlanStep['resource'] => ({
      type: 'node',
      ...(this.made.has(id) ? {} : { id }),
      name: this.names.get(id) ?? this.name(first.members.get(id)?.ordinal ?? -1),
    });
    const had = (id: string): Pick<PlanStep, 'failed'> => (this.failed.has(id) ? { failed: true } : {});
    return [
      ...[...this.begun].map(([id, { action, ...how }]) => ({ action, resource: named(id), ...how, ...had(id) })),
      ...kept.map((id): PlanStep => ({ action: 'keep', resource: named(id), ...had(id) })),
    ];
  }

  private readonly name = (ordinal: number): string => `${this.state.declared.name}-${ordinal}`;

  private add({ id, ordinal, replaces }: MemberDeclaration, reason: string): void {
    const name = this.name(ordinal);
    this.names.set(id, name);
    // the successor of an added node replaces the node that the added one replaced
    const old = replaces !== undefined && this.made.has(replaces) ? this.made.get(replaces) : replaces;
    const predecessor = old ?? (replaces === undefined ? this.vacant.shift() : undefined);
    this.made.set(id, predecessor);
    if (predecessor !== undefined)
      this.begun.set(predecessor, {
        action: 'replace',
        reason: old === undefined ? ROLLING_REPLACEMENT : reason,
        by: name,
      });
    else if (replaces === undefined) this.begun.set(id, { action: 'create', reason });
    else this.succeed(replaces, id);
  }

  /** Replaces an added node that failed by another, at the same position of the order. */
  private succeed(failed: string, id: string): void {
    const entries = [...this.begun];
    this.begun.clear();
    for (const [key, how] of entries) this.begun.set(key === failed ? id : key, how);
  }

  private remove(id: string, reason: string): void {
    if (this.begun.get(id)?.action === 'replace') return;
    if (this.made.has(id)) {
      if (this.made.get(id) === undefined) this.begun.delete(id);
      return;
    }
    this.begun.set(id, { action: 'remove', reason });
    if (reason === ROLLING_REPLACEMENT) this.vacant.push(id);
  }
}

/** Returns one step for each node of the group in the order in which they begin. Nodes that are kept come last. */
export function groupSteps(
  first: NodeGroupState,
  events: readonly NodeGroupEvent[],
  failed: ReadonlySet<string> = new Set(),
): readonly PlanStep[] {
  const steps = new GroupSteps(first, failed);
  for (const event of events) steps.take(event);
  return steps.steps(first);
}
