import { isNodeInService, isNodeWaitingForBuild, type NodeState } from '@stave/domain';
import type { Folded } from '@stave/service-kit';

type NodePhase = 'ready' | 'waiting' | 'starting' | 'other';

/** The nodes of each group by what the group has to know of them, counted with each event, so that no question is asked of all nodes. */
export class NodePhases implements Folded {
  private readonly phases = new Map<string, NodePhase>();
  private readonly ready = new Map<string, number>();
  private readonly waiting = new Map<string, number>();
  private readonly starting = new Map<string, number>();

  readonly folded = { phases: this.phases, ready: this.ready, waiting: this.waiting, starting: this.starting };

  /** Returns how many nodes of the group are in service. */
  readyIn(groupId: string): number {
    return this.ready.get(groupId) ?? 0;
  }

  /** Returns how many nodes of the group were never built and have not failed. */
  buildingIn(groupId: string): number {
    return (this.waiting.get(groupId) ?? 0) + this.startingIn(groupId);
  }

  /** Returns how many nodes of the group a conductor is building for the first time. */
  startingIn(groupId: string): number {
    return this.starting.get(groupId) ?? 0;
  }

  /** Notes the state of a node. Returns whether the number of ready nodes of its group changed. */
  note(id: string, node: NodeState): boolean {
    const { nodeGroupId } = node.declared;
    const before = this.phases.get(id);
    const after = node.deleted ? undefined : phaseOf(node);
    if (before === after) return false;
    if (after === undefined) this.phases.delete(id);
    else this.phases.set(id, after);
    this.count(nodeGroupId, before, -1);
    this.count(nodeGroupId, after, 1);
    return before === 'ready' || after === 'ready';
  }

  private count(groupId: string, phase: NodePhase | undefined, change: 1 | -1): void {
    if (phase === undefined || phase === 'other') return;
    const counts = this[phase];
    const count = (counts.get(groupId) ?? 0) + change;
    if (count === 0) counts.delete(groupId);
    else counts.set(groupId, count);
  }
}

function phaseOf(node: NodeState): NodePhase {
  if (isNodeInService(node)) return 'ready';
  if (!isNodeWaitingForBuild(node)) return 'other';
  return node.work.claim ? 'starting' : 'waiting';
}
