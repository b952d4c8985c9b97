import type { EventOf } from '../kernel/decider.js';

interface Proposal {
  readonly proposalId: string;
  /** The order of the proposals in the cluster. */
  readonly sequence: number;
  readonly nodeGroupId: string;
  /** The count of the group that the proposal is about. */
  readonly from: number;
}

interface ProposalEvents {
  /** More nodes are proposed for a node group, because these containers wait and have a place on them; `containerIds` names some of them. */
  GrowthProposed: Proposal & {
    readonly nodes: number;
    readonly containers: number;
    readonly containerIds: readonly string[];
    /** ISO 8601 in UTC. */
    readonly at: string;
  };
  /** These nodes are closed and empty, and proposed for removal, because they were not needed for the idle time of their group. */
  ShrinkProposed: Proposal & { readonly nodeIds: readonly string[]; readonly at: string };
  /** The proposal must not be carried out any more, unless that was done already. */
  ProposalWithdrawn: { readonly proposalId: string; readonly nodeGroupId: string; readonly reason: string };
}

export type ProposalEvent = EventOf<ProposalEvents>;
export type GrowthProposed = ProposalEvents['GrowthProposed'];
export type ShrinkProposed = ProposalEvents['ShrinkProposed'];
/** The last proposal to a node group. Whether it was answered, the group shows. */
export type OpenProposal = GrowthProposed | ShrinkProposed;

/** The last proposal to each node group that was not withdrawn. */
export type Proposals = Map<string, OpenProposal>;

const isProposalEvent = (event: { readonly type: string }): event is ProposalEvent =>
  event.type === 'GrowthProposed' || event.type === 'ShrinkProposed' || event.type === 'ProposalWithdrawn';

/** Applies an event to the map, which it changes. Returns whether the event is about a proposal. */
export function noteProposal(
  proposals: Proposals,
  event: { readonly type: string; readonly data: unknown },
): event is ProposalEvent {
  if (!isProposalEvent(event)) return false;
  const { nodeGroupId, proposalId } = event.data;
  if (event.type !== 'ProposalWithdrawn') proposals.set(nodeGroupId, event.data);
  else if (proposals.get(nodeGroupId)?.proposalId === proposalId) proposals.delete(nodeGroupId);
  return true;
}
