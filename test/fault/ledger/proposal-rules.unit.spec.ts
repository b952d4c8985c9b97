import type { HistoryEvent } from '../history.js';
import { checkProposals } from './proposal-rules.js';

let position = 0;
const event = (fact: string, data: HistoryEvent['data']): HistoryEvent => ({
  type: `stave.nodeGroup.${fact}.v1`,
  subject: 'nodeGroup/g',
  time: '2026-01-01T00:00:00.000Z',
  position: String((position += 1)),
  data,
});
const created = event('created', { spec: { count: 1, minCount: 1, maxCount: 3 } });
const resized = (count: number, proposalId?: string): HistoryEvent =>
  event('resized', { count, ...(proposalId !== undefined && { cause: { proposalId } }) });

describe('what node groups make of proposals, from their events', () => {
  it('counts the answers, each proposal once', () => {
    const removed = event('nodeRemovalAccepted', { count: 1, nodeIds: ['n'], cause: { proposalId: 'p2' } });
    expect(checkProposals([created, resized(2, 'p1'), removed, resized(2)])).toEqual({
      broken: [],
      answered: { resized: 1, nodeRemovalAccepted: 1 },
    });
    expect(checkProposals([created, resized(2, 'p1'), resized(3, 'p1')]).broken).toHaveLength(1);
  });

  it('finds a count outside of the bounds', () => {
    expect(checkProposals([created, resized(4)]).broken).toHaveLength(1);
    expect(checkProposals([created, resized(0)]).broken).toHaveLength(1);
    expect(checkProposals([created, event('updated', { changes: { maxCount: null } }), resized(9)]).broken).toEqual([]);
  });
});
