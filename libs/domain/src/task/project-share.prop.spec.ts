import fc from 'fast-check';
import { mayRunMore } from './project-share.js';

/** Lets projects take places in the order in which they ask. Returns what each one runs in the end. */
function share(total: number, asking: readonly number[], limit = 0): Map<number, number> {
  const running = new Map<number, number>();
  let free = total;
  for (const project of asking) {
    const own = running.get(project) ?? 0;
    if (free === 0 || !mayRunMore(own, { free, limit })) continue;
    running.set(project, own + 1);
    free -= 1;
  }
  return running;
}

describe('the share of a project in the places of a conductor', () => {
  it.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [8, 6],
    [64, 48],
  ])('is of %i places %i where it is alone', (total, most) => {
    expect(share(total, Array(total).fill(0)).get(0)).toBe(most);
  });

  it('leaves a place for a third project, however two others asked before', () => {
    const asking = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 80 }), asking, (total, asked) => {
        expect(share(total, [...asked, 9]).get(9)).toBe(1);
      }),
    );
  });

  it('is the limit where one is set, and all places where the limit is above them', () => {
    expect(share(64, Array(64).fill(0), 5).get(0)).toBe(5);
    expect(share(64, Array(64).fill(0), 100).get(0)).toBe(64);
  });
});
