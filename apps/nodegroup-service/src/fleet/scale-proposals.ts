import { noteProposal, type ClusterPlacementEvent, type OpenProposal } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import type { Folded } from '@stave/service-kit';

/** What the scheduler proposes to node groups: the last proposal to each. */
export class ScaleProposals implements Folded {
  private readonly open = new Map<string, OpenProposal>();

  readonly folded = { open: this.open };

  /** Notes an event of the placement of a cluster. Returns the group to which something was proposed. */
  note({ type, data }: RecordedEvent): string | undefined {
    const event = { type, data } as ClusterPlacementEvent;
    if (!noteProposal(this.open, event)) return undefined;
    return event.type === 'ProposalWithdrawn' ? undefined : event.data.nodeGroupId;
  }

  to(groupId: string): OpenProposal | undefined {
    return this.open.get(groupId);
  }

  forget(groupId: string): void {
    this.open.delete(groupId);
  }
}
