import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { antiAffinity } from './anti-affinity.js';

describe('the filter ANTI_AFFINITY', () => {
  checkFilter(antiAffinity, {
    wanted: request({ setId: 's', affinity: [{ kind: 'apart', by: 'zone', maxPer: 2 }] }),
    refused: node({ zone: 'a', held: [{ kind: { setId: 's', labels: {} }, count: 2 }] }),
    accepted: node({ zone: 'a', held: [{ kind: { setId: 's', labels: {} }, count: 1 }] }),
    remedy: { cost: 4, sentence: 'move the containers away that exclude it from node n' },
  });

  it('holds for newcomers, too, who have no rule of their own', () => {
    const rule = { kind: 'apart', by: 'node', with: { labels: { app: 'noisy' } } } as const;
    const quiet = node({ held: [{ kind: { labels: { app: 'quiet' }, affinity: [rule] }, count: 1 }] });
    expect(refuses(antiAffinity, request({ labels: { app: 'noisy' } }), quiet)).toBe(true);
    expect(refuses(antiAffinity, request({ labels: { app: 'other' } }), quiet)).toBe(false);
    expect(refuses(antiAffinity, request({ labels: { app: 'noisy' } }), node({ id: 'o' }), [quiet])).toBe(false);
  });

  it('counts the members of a set once by the rule of the request and of those that are there', () => {
    const rule = { kind: 'apart', by: 'node', maxPer: 2 } as const;
    const holding = (count: number) => node({ held: [{ kind: { setId: 's', labels: {}, affinity: [rule] }, count }] });
    const wanted = request({ setId: 's', affinity: [rule] });
    expect(refuses(antiAffinity, wanted, holding(1))).toBe(false);
    expect(refuses(antiAffinity, wanted, holding(2))).toBe(true);
  });
});
