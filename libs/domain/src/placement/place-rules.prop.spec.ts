import fc from 'fast-check';
import type { NodeView } from './model.js';
import { place } from './place.js';
import { request } from './placement.fixture.js';
import { after, firstRefusals, nodes, shape } from './ruled-fleets.fixture.js';

/** At most 6 nodes and 6 containers: compared with the filters asked one by one. */
describe('place with rules that placements change', () => {
  it('refuses a request exactly when every node is refused by a filter, and counts each node at the first that does', () => {
    fc.assert(
      fc.property(nodes, shape, fc.integer({ min: 1, max: 6 }), fc.nat(), (initial, over, number, seed) => {
        let views: NodeView[] = initial;
        let bound: string | undefined;
        const asked = request({ memoryMb: 100, ...over });
        const wanted = Array.from({ length: number }, (_, i) => ({ ...asked, id: `r${i}` }));
        for (const [i, decision] of place(initial, wanted, undefined, seed).entries()) {
          const volumes = (asked.volumes ?? []).map(volume => ({ ...volume, ...(bound && { nodeId: bound }) }));
          const now = { ...wanted[i]!, ...(asked.volumes && { volumes }) };
          const first = firstRefusals(views, now);
          const expected = new Map<string, number>();
          for (const code of first) if (code !== undefined) expected.set(code, (expected.get(code) ?? 0) + 1);
          expect(new Map(decision.refusals.map(({ code, count }) => [code, count]))).toEqual(expected);
          expect(decision.placed).toBe(first.includes(undefined));
          if (!decision.placed) continue;
          const at = views.findIndex(({ id }) => id === decision.nodeId);
          expect(first[at]).toBeUndefined();
          bound ??= asked.volumes && decision.nodeId;
          views = views.map((view, n) => (n === at ? after(view, now) : view));
        }
      }),
      { numRuns: 1500 },
    );
  });
});
