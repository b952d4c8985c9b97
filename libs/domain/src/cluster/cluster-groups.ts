import { accept, conflict, refuse, type Decision, type EventOf } from '../kernel/decider.js';
import { defineStream } from '../kernel/stream-definition.js';

interface ClusterGroupsEvents {
  /** A node group id and name were registered in the cluster; the stream of the group follows. */
  NodeGroupRegistered: { readonly groupId: string; readonly name: string };
  /** The node group was removed and its name is free. */
  NodeGroupUnregistered: { readonly groupId: string };
  /** The cluster is being deleted; no further node group can be created in it. */
  ClusterGroupsClosed: Record<string, never>;
  /** The registry is closed and every node group was removed. */
  ClusterGroupsRemoved: Record<string, never>;
}

export type ClusterGroupsEvent = EventOf<ClusterGroupsEvents>;

/** The state of stream `clusterGroups-<clusterId>`, the only place where ids and names of node groups are assigned. */
export interface ClusterGroupsState {
  readonly groups: ReadonlyMap<string, string>;
  /** Every id that was ever registered. No id is registered again after its removal. */
  readonly seen: ReadonlySet<string>;
  readonly closed: boolean;
  readonly emptied: boolean;
}

const initial: ClusterGroupsState = { groups: new Map(), seen: new Set(), closed: false, emptied: false };

export const clusterGroupsStream = defineStream<ClusterGroupsState, ClusterGroupsEvent>('clusterGroups', initial, {
  NodeGroupRegistered: (s, { data: { groupId, name } }) => ({
    ...s,
    groups: new Map(s.groups).set(groupId, name),
    seen: new Set(s.seen).add(groupId),
  }),
  NodeGroupUnregistered: (s, { data }) => ({
    ...s,
    groups: new Map([...s.groups].filter(([id]) => id !== data.groupId)),
  }),
  ClusterGroupsClosed: s => ({ ...s, closed: true }),
  ClusterGroupsRemoved: s => ({ ...s, emptied: true }),
});

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
    ...fresh.map(({ id: groupId, name }) => ({ type: 'NodeGroupRegistered', data: { groupId, name } }) as const),
  );
}

export const unregisterGroup = (state: ClusterGroupsState, groupId: string): Decision<ClusterGroupsEvent> =>
  state.groups.has(groupId) ? accept({ type: 'NodeGroupUnregistered', data: { groupId } }) : accept();

export function closeGroups(state: ClusterGroupsState): Decision<ClusterGroupsEvent> {
  const events: ClusterGroupsEvent[] = state.closed ? [] : [{ type: 'ClusterGroupsClosed', data: {} }];
  if (state.groups.size === 0 && !state.emptied) events.push({ type: 'ClusterGroupsRemoved', data: {} });
  return accept(...events);
}
