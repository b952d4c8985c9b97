import { isNodeInService, isNodeWaitingForBuild, type NodeState } from '@stave/domain';
import type { Folded } from '@stave/service-kit';

type NodePhase = 'ready' | 'building' | 'other';

/** The nodes of each group by what the group has to know of them, counted with each event, so that no question is asked of all nodes. */
export class NodePhases implements Folded {
  private readonly phases = new Map<string, NodePhase>();
  private readonly ready = new Map<string, number>();
  private readonly building = new Map<string, number>();

  readonly folded = { phases: this.phases, ready: this.ready, building: this.building };

  /** Returns how many nodes of the group are in service. */
  readyIn(groupId: string): number {
    return this.ready.get(groupId) ?? 0;
  }

  /** Returns how many nodes of the group were never built and have not failed. */
  buildingIn(groupId: string): number {
    return this.building.get(groupId) ?? 0;
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
    if (phase !== 'ready' && phase !== 'building') return;
    const counts = this[phase];
    const count = (counts.get(groupId) ?? 0) + change;
    if (count === 0) counts.delete(groupId);
    else counts.set(groupId, count);
  }
}

const phaseOf = (node: NodeState): NodePhase =>
  isNodeInService(node) ? 'ready' : isNodeWaitingForBuild(node) ? 'building' : 'other';
