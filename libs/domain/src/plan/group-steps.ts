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

/** What becomes of the nodes of one group, read from its events as they come. */
class GroupSteps {
  /** In the order in which they began; keys are ids. */
  private readonly begun = new Map<string, Begun>();
  /** Nodes that were made meanwhile, and for which of those before, if for any. */
  private readonly made = new Map<string, string | undefined>();
  /** Let go to be replaced, before there is a successor. */
  private readonly vacant: string[] = [];

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
        for (const id of event.data.nodeIds) if (!this.isLeaving(before, id)) this.remove(id, event.data.reason);
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

  /** Those that are there learn of new labels and taints where they are. */
  private retag({ members }: NodeGroupState): void {
    for (const { id, leaving } of members.values())
      if (!leaving && !this.made.has(id) && !this.failed.has(id))
        this.begun.set(id, { action: 'change', reason: 'labels and taints' });
  }

  steps(first: NodeGroupState): readonly PlanStep[] {
    const kept = [...first.members.keys()].filter(id => !this.begun.has(id));
    const named = (id: string): PlanStep['resource'] => ({
      type: 'node',
      ...(this.made.has(id) ? {} : { id }),
      name: this.nameOf(id, first),
    });
    const had = (id: string): Pick<PlanStep, 'failed'> => (this.failed.has(id) ? { failed: true } : {});
    return [
      ...[...this.begun].map(([id, { action, ...how }]) => ({ action, resource: named(id), ...how, ...had(id) })),
      ...kept.map((id): PlanStep => ({ action: 'keep', resource: named(id), ...had(id) })),
    ];
  }

  private readonly names = new Map<string, string>();

  private nameOf(id: string, first: NodeGroupState): string {
    const member = first.members.get(id);
    return this.names.get(id) ?? this.name(member?.ordinal ?? -1);
  }

  private readonly name = (ordinal: number): string => `${this.state.declared?.name ?? ''}-${ordinal}`;

  private isLeaving(before: NodeGroupState, id: string): boolean {
    return before.members.get(id)?.leaving ?? true;
  }

  private add({ id, ordinal, replaces }: MemberDeclaration, reason: string): void {
    const name = this.name(ordinal);
    this.names.set(id, name);
    // a successor of one that was made meanwhile exists for whom that was made
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

  /** What was made and failed is made again under another name, in the same place of the order. */
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

/** One step for each node of the group, in the order in which they begin; those that nothing happens to come last. */
export function groupSteps(
  first: NodeGroupState,
  events: readonly NodeGroupEvent[],
  failed: ReadonlySet<string> = new Set(),
): readonly PlanStep[] {
  const steps = new GroupSteps(first, failed);
  for (const event of events) steps.take(event);
  return steps.steps(first);
}
