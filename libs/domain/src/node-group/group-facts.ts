import { listing } from '../kernel/listing.js';
import { operationEnded } from '../kernel/operation.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import type { Member, NodeGroupState } from './node-group-state.js';

/** What the group needs to know of one of its nodes. */
export interface MemberView {
  readonly ready: boolean;
  readonly deleted: boolean;
  /** Its building was given up, or it was lost. */
  readonly failed?: { readonly class: string; readonly reason: string };
  /** Its removal, as this operation asked for it, was given up. */
  readonly stuck?: { readonly operationId: string; readonly reason: string };
}

export interface ReconcileInput {
  readonly nodes: (id: string) => MemberView | undefined;
  /** Fresh node ids, as many as asked for. */
  readonly freshIds: (n: number) => readonly string[];
  /** Failed nodes that may be replaced before the group gives up; default the larger of 3 and the count. */
  readonly replacementBudget?: number;
  /** Why none of its nodes can be built now: its cluster has failed. */
  readonly blocked?: string;
  /** Its cluster is paused: nothing is begun, what is lost is told. */
  readonly paused?: boolean;
}

export type Events = readonly NodeGroupEvent[];

export interface Facts {
  readonly state: NodeGroupState;
  readonly spec: NodeGroupSpec;
  readonly clusterId: string;
  readonly staying: readonly Member[];
  readonly leaving: readonly Member[];
  readonly input: ReconcileInput;
}

/** Leaving nodes whose removal was given up, as it was asked for last. */
export const stuckOf = ({ leaving, input }: Facts): readonly Member[] =>
  leaving.filter(m => input.nodes(m.id)?.stuck?.operationId === m.operationId);

/** What was given up before the latest operation is tried again for it. */
export function retriedRemovals(facts: Facts): Events {
  const { state, spec } = facts;
  const operationId = state.lastOperationId;
  const nodeIds = stuckOf(facts).flatMap(m => (m.operationId === operationId ? [] : [m.id]));
  if (nodeIds.length === 0) return [];
  return [{ type: 'NodeRemovalAccepted', data: { nodeIds, count: spec.count, reason: 'tried again', operationId } }];
}

/** Why the group is not what it should be, with the right numbers and bounded; undefined when nothing of it was given up. */
export function failureReason(facts: Facts, counted: readonly Member[]): string | undefined {
  const { state, spec, input } = facts;
  const tell = (m: Member, why = ''): string => `${state.declared?.name ?? ''}-${m.ordinal}: ${why}`;
  const failed = counted.flatMap(m => {
    const why = input.nodes(m.id)?.failed;
    return why ? [tell(m, why.reason)] : [];
  });
  const stuck = stuckOf(facts).map(m => tell(m, input.nodes(m.id)?.stuck?.reason));
  const nodes = stuck.length === 1 ? 'node' : 'nodes';
  const parts = [
    ...(failed.length > 0 ? [`${failed.length} of ${spec.count} nodes failed: ${listing(failed)}`] : []),
    ...(stuck.length > 0 ? [`${stuck.length} ${nodes} could not be removed: ${listing(stuck)}`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** Told once per reason; with `gaveUp` every operation that is open has failed. */
export function tellDegraded({ state, clusterId }: Facts, reason: string, gaveUp?: { readonly code: string }): Events {
  const same = state.gaveUp === (gaveUp !== undefined) && state.statusReason === reason;
  const told = same && (state.status === 'DEGRADED' || state.deleting);
  const data = { clusterId, reason, gaveUp: gaveUp !== undefined };
  const ended = gaveUp ? state.operations.map(o => operationEnded(o.id, 'FAILED', { ...gaveUp, detail: reason })) : [];
  return [...(told ? [] : [{ type: 'NodeGroupDegraded' as const, data }]), ...ended];
}
