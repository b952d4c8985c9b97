import { accept, refuse, type Decision, type DomainEvent } from '../kernel/decider.js';
import { conflict } from '../kernel/refusal.js';
import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';

/** A node group id and name were registered in the cluster; the stream of the group follows. */
export type NodeGroupRegistered = DomainEvent<
  'NodeGroupRegistered',
  { readonly groupId: string; readonly name: string }
>;
/** The node group was removed and its name is free. */
export type NodeGroupUnregistered = DomainEvent<'NodeGroupUnregistered', { readonly groupId: string }>;
/** The cluster is being deleted; no further node group can be created in it. */
export type ClusterGroupsClosed = DomainEvent<'ClusterGroupsClosed', Record<string, never>>;
/** The registry is closed and every node group was removed. */
export type ClusterGroupsRemoved = DomainEvent<'ClusterGroupsRemoved', Record<string, never>>;
export type ClusterGroupsEvent =
  NodeGroupRegistered | NodeGroupUnregistered | ClusterGroupsClosed | ClusterGroupsRemoved;

/** The state of stream `clusterGroups-<clusterId>`, the only place where ids and names of node groups are assigned. */
export interface ClusterGroupsState {
  readonly groups: ReadonlyMap<string, string>;
  /** Every id that was ever registered. No id is registered again after its removal. */
  readonly seen: ReadonlySet<string>;
  readonly closed: boolean;
  readonly emptied: boolean;
}

const initialClusterGroups: ClusterGroupsState = {
  groups: new Map(),
  seen: new Set(),
  closed: false,
  emptied: false,
};

function evolveClusterGroups(state: ClusterGroupsState, event: ClusterGroupsEvent): ClusterGroupsState {
  switch (event.type) {
    case 'NodeGroupRegistered':
      return {
        ...state,
        groups: new Map(state.groups).set(event.data.groupId, event.data.name),
        seen: new Set(state.seen).add(event.data.groupId),
      };
    case 'NodeGroupUnregistered': {
      const groups = new Map(state.groups);
      groups.delete(event.data.groupId);
      return { ...state, groups };
    }
    case 'ClusterGroupsClosed':
      return { ...state, closed: true };
    case 'ClusterGroupsRemoved':
      return { ...state, emptied: true };
    default:
      return ignoreUnknownEvent(state, event);
  }
}

/**
 * Registers groups. Refused during the deletion of the cluster, for a taken name and beyond 100 groups; a repeated registration
 * changes nothing.
 */
export function registerGroups(
  state: ClusterGroupsState,
  groups: readonly { readonly id: string; readonly name: string }[],
): Decision<ClusterGroupsEvent> {
  const fresh = groups.filter(g => !state.seen.has(g.id));
  if (fresh.length === 0) return accept();
  if (state.closed) return refuse(conflict('being-deleted', 'the cluster is being deleted'));
  const taken = new Set([...state.groups.values()].map(name => name.toLowerCase()));
  const clash = fresh.find(g => taken.has(g.name.toLowerCase()));
  if (clash) return refuse(conflict('name-taken', `the cluster has a node group named ${clash.name}`));
  if (state.groups.size + fresh.length > 100)
    return refuse(conflict('too-many-groups', 'a cluster has 100 node groups at most'));
  return accept(
    ...fresh.map((g): NodeGroupRegistered => ({ type: 'NodeGroupRegistered', data: { groupId: g.id, name: g.name } })),
  );
}

export function unregisterGroup(state: ClusterGroupsState, groupId: string): Decision<ClusterGroupsEvent> {
  return state.groups.has(groupId) ? accept({ type: 'NodeGroupUnregistered', data: { groupId } }) : accept();
}

export function closeGroups(state: ClusterGroupsState): Decision<ClusterGroupsEvent> {
  const events: ClusterGroupsEvent[] = state.closed ? [] : [{ type: 'ClusterGroupsClosed', data: {} }];
  if (state.groups.size === 0 && !state.emptied) events.push({ type: 'ClusterGroupsRemoved', data: {} });
  return accept(...events);
}

export const clusterGroupsStream: StreamDefinition<ClusterGroupsState, ClusterGroupsEvent> = {
  category: 'clusterGroups',
  initial: initialClusterGroups,
  evolve: evolveClusterGroups,
};
