import type { ClusterPlacementEvent } from '@stave/domain';
import { scalings } from '../placement/placement-measures.js';

const directions: Readonly<Partial<Record<ClusterPlacementEvent['type'], string>>> = {
  GrowthProposed: 'out',
  ShrinkProposed: 'in',
  ProposalWithdrawn: 'withdrawn',
};

/** Counts the proposals to node groups among events that were appended. */
export function countProposals(events: readonly ClusterPlacementEvent[]): void {
  for (const { type } of events) {
    const direction = directions[type];
    if (direction !== undefined) scalings({ autoscaler: 'node-group', direction });
  }
}
