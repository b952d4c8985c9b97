import type { OperationStep } from './operation-step.js';
import { stepsPage } from './operation-steps.js';

const steps: OperationStep[] = Array.from({ length: 10 }, (_, n) => ({
  name: `node.create n${n}`,
  status: n % 3 === 0 ? 'RETRYING' : 'DONE',
  attempts: 1,
  resource: { type: 'node', id: `n${n}` },
  startedAt: '2026-01-01T00:00:00.000Z',
}));
const idsOf = (items: readonly OperationStep[]): string[] => items.map(({ resource }) => resource.id);

describe('pages of steps', () => {
  it('pages show each step once, although steps are added and change between two pages', () => {
    const first = stepsPage(steps, { id: 'n-1', limit: 4 });
    const grown = [...steps, { ...(steps[0] as OperationStep), resource: { type: 'node', id: 'late' } }];
    const second = stepsPage(grown, { id: 'n-1', limit: 100, cursor: first.nextCursor ?? '' });
    expect(idsOf([...first.items, ...second.items])).toEqual([...idsOf(steps), 'late']);
    expect(second.nextCursor).toBeNull();
  });

  it('a status selects, and a page that ends with the last match has no next one', () => {
    const first = stepsPage(steps, { id: 'n-1', limit: 3, status: ['RETRYING'] });
    expect(idsOf(first.items)).toEqual(['n0', 'n3', 'n6']);
    const last = stepsPage(steps, { id: 'n-1', limit: 1, status: ['RETRYING'], cursor: first.nextCursor ?? '' });
    expect([idsOf(last.items), last.nextCursor]).toEqual([['n9'], null]);
  });

  it.each(['', 'x', Buffer.from('["key",1]').toString('base64url')])('refuses the cursor %j of no list', cursor => {
    expect(() => stepsPage(steps, { id: 'n-1', limit: 3, cursor })).toThrow('is not a cursor of this list');
  });

  it('refuses a cursor of another operation', () => {
    const { nextCursor } = stepsPage(steps, { id: 'n-1', limit: 3 });
    expect(() => stepsPage(steps, { id: 'n-2', limit: 3, cursor: nextCursor ?? '' })).toThrow('is not a cursor');
  });
});
