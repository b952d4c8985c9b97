import { RecentChanges } from './recent-changes.js';

describe('RecentChanges', () => {
  it('returns what changed after a position, each id once', () => {
    const changes = new RecentChanges(10);
    changes.startAfter(4);
    changes.note('a', 5);
    changes.note('b', 6);
    changes.note('c', 6);
    changes.note('a', 7);
    expect(changes.after(4)).toEqual(['b', 'c', 'a']);
    expect(changes.after(6)).toEqual(['a']);
    expect(changes.after(9)).toEqual([]);
  });

  it('does not answer for positions before its start, and for those whose changes it has forgotten', () => {
    const changes = new RecentChanges(2);
    expect(changes.after(100)).toBeUndefined();
    changes.startAfter(4);
    expect(changes.after(3)).toBeUndefined();
    for (const [i, id] of ['a', 'b', 'c'].entries()) changes.note(id, 5 + i);
    expect(changes.after(4)).toBeUndefined();
    expect(changes.after(5)).toEqual(['b', 'c']);
  });
});
