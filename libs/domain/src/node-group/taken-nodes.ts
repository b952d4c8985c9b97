import { acceptsNodeRepair } from '../node/group-requests.js';
import type { NodeState } from '../node/node-state.js';
import { isStaying } from './group-membership.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { Member, NodeGroupState } from './node-group-state.js';
import { mayDiscard } from './retained-data.js';

/** A node whose data goes with an event of its group. */
export interface TakenNode {
  readonly nodeId: string;
  /** A user allowed that the data of volumes that are to be retained goes, too. */
  readonly discards: boolean;
}

interface Taking {
  readonly nodeIds: Iterable<string>;
  readonly discards?: boolean;
}

function takingOf(state: NodeGroupState, event: NodeGroupEvent): Taking {
  switch (event.type) {
    case 'NodeRemovalAccepted':
    case 'NodesReleaseAwaited':
      return { nodeIds: event.data.nodeIds, discards: event.data.operation?.discardVolumes === true };
    case 'NodeGroupDeletionRequested':
      return { nodeIds: state.members.keys(), discards: event.data.operation?.discardVolumes === true };
    case 'RolloutBatchAccepted':
      return { nodeIds: state.rollout?.kind === 'rebuild' ? event.data.nodeIds : [] };
    case 'NodesRepaired':
      return { nodeIds: event.data.repairs.flatMap(repair => (repair.do === 'rebuild' ? [repair.nodeId] : [])) };
    default:
      return { nodeIds: [] };
  }
}

/** Returns the nodes that leave the group, or are rebuilt, by these events, and that were to stay as they are until now. */
export function takenNodes(state: NodeGroupState, events: readonly NodeGroupEvent[]): readonly TakenNode[] {
  if (state.deleting) return [];
  const taken = new Map<string, TakenNode>();
  for (const event of events) {
    const { nodeIds, discards = false } = takingOf(state, event);
    for (const nodeId of nodeIds) {
      const member = state.members.get(nodeId);
      if (member && isStaying(member)) taken.set(nodeId, { nodeId, discards: discards || mayDiscard(state, member) });
    }
  }
  return [...taken.values()];
}

/** Returns whether the group has accepted that the node is removed, or rebuilt, also where the node itself learns of it later. */
export function isTakenByGroup(state: NodeGroupState, node: NodeState): boolean {
  const member = state.members.get(node.declared.id);
  if (!member) return false;
  return state.deleting || !isStaying(member) || isToBeRebuilt(state, member, node);
}

function isToBeRebuilt({ rollout }: NodeGroupState, { rolloutId, repair }: Member, node: NodeState): boolean {
  if (repair?.do === 'rebuild' && acceptsNodeRepair(node, repair.generation)) return true;
  return rollout?.kind === 'rebuild' && rolloutId === rollout.id && node.rollout?.id !== rollout.id;
}
