import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import { initialNodeGroup, type NodeGroupState } from '../node-group/node-group-state.js';
import { groupSteps } from './group-steps.js';
import { idealGroup, type GroupSurroundings } from './ideal-group.js';
import type { PlanStep } from './plan.js';

/** A change of a group: the state before (undefined: there is none), the events, and the state after them. */
export interface GroupEffect {
  readonly before: NodeGroupState | undefined;
  readonly after: NodeGroupState;
  readonly events: readonly NodeGroupEvent[];
}

/** What becomes of the nodes of the group, one step each, if all goes well. */
export function planGroup({ before, after, events }: GroupEffect, around: GroupSurroundings): readonly PlanStep[] {
  return groupSteps(before ?? initialNodeGroup, [...events, ...idealGroup(after, around)]);
}
