import type { NodeView } from '../model.js';
import { NodeTable } from '../node-table.js';
import { node, request } from '../placement.fixture.js';
import { explain } from './explain.js';
import type { ExplainInput, GrowableGroup } from './model.js';

const named = (id: string, over: Partial<NodeView> = {}): NodeView => node({ id, name: id, ...over });
const full = { allocated: { cpus: 4, memoryMb: 8000 }, containers: 4 };
const input = (nodes: readonly NodeView[], more: Partial<ExplainInput>): ExplainInput => ({
  table: new NodeTable(nodes),
  request: request(),
  ...more,
});

describe('the time of the search for remedies', () => {
  it('examines nodes only while there is time, and asks for containers only where moving them could be the smallest change', () => {
    const asked: string[] = [];
    const movable = (id: string) => {
      asked.push(id);
      return [request({ id: `on-${id}`, cpus: 1, memoryMb: 2000 })];
    };
    const more = { movableOn: movable, moveContainer: (id: string) => ({ method: 'POST', path: `/m/${id}` }) as const };
    const nodes = Array.from({ length: 640 }, (_, i) => named(`n${i}`, full));
    let looks = 0;
    const cut = explain(input(nodes, { ...more, hasTime: () => (looks += 1) <= 5 }));
    expect(cut).toMatchObject({ nodes: { total: 640, passing: 0 }, remedies: [], search: { complete: false } });
    expect({ looks, asked }).toEqual({ looks: 6, asked: [] });
    // time that ends after all nodes were examined ends the search before all that could be moved is listed
    looks = 0;
    const late = explain(input(nodes, { ...more, hasTime: () => (looks += 1) <= 10 }));
    expect(late.search).toEqual({ candidates: 0, complete: false });
    expect(looks).toBe(11);
    expect(asked).toHaveLength(64);
    asked.length = 0;
    // to uncordon three nodes costs less than any move
    const cordoned = ['x', 'y', 'z'].map(id => named(id, { schedulable: false }));
    const whole = explain(input([...nodes, ...cordoned], more));
    expect(whole.remedies.map(({ cost }) => cost)).toEqual([1, 1, 1]);
    expect(whole.search.complete).toBe(true);
    expect(asked).toEqual([]);
  });

  it('is checked before each simulation on many nodes', () => {
    const cordoned = ['x', 'y', 'z'].map(id => named(id, { schedulable: false }));
    const nodes = [...Array.from({ length: 640 }, (_, i) => named(`n${i}`, full)), ...cordoned];
    let looks = 0;
    // all nodes are examined after ten looks
    const { remedies, search } = explain(input(nodes, { hasTime: () => (looks += 1) <= 11 }));
    expect({ remedies: remedies.length, search }).toEqual({ remedies: 1, search: { candidates: 1, complete: false } });
  });

  it('ends the search for what else could be moved, after which no remedy is claimed to be the smallest', () => {
    const nodes = Array.from({ length: 640 }, (_, i) =>
      named(`n${i}`, { ...full, zone: 'b', labels: { disk: 'hdd' } }),
    );
    // each takes less than the request, and only after its maximum was raised: this costs more than many containers that are moved
    const groups = ['g1', 'g2', 'g3'].map((id): GrowableGroup => {
      const next = named(`new-${id}`, { zone: 'a', labels: { disk: 'ssd' }, capacity: { cpus: 3, memoryMb: 8000 } });
      return { id, name: id, node: next, count: 1, maxCount: 1, isAutoscaled: false };
    });
    const wanted = { zone: 'a', nodeSelector: { disk: 'ssd' }, cpus: 4 };
    const explained = (most: number) => {
      let [asked, looks] = [0, 0];
      const { remedies, search } = explain({
        ...input(nodes, { request: request(wanted), groups, hasTime: () => (looks += 1) <= most }),
        movableOn: () => {
          asked += 1;
          return [];
        },
        moveContainer: id => ({ method: 'POST', path: `/m/${id}` }),
        changeRequest: body => [{ method: 'PATCH', path: '/request', body }],
      });
      return { costs: remedies.map(({ cost }) => cost), complete: search.complete, asked, looks };
    };
    const whole = explained(Infinity);
    expect(whole).toMatchObject({ costs: [8, 8, 8], complete: true, asked: 640 });
    const cut = explained(whole.looks - 5);
    expect(cut).toMatchObject({ costs: [8, 8, 8], complete: false });
    expect(cut.asked).toBeLessThan(640);
  });

  it('does not matter to a small fleet: it is searched to the end where there is none', () => {
    const nodes = ['a', 'b', 'c'].map(id => named(id, { schedulable: false }));
    const { remedies, search } = explain(input(nodes, { hasTime: () => false }));
    expect(remedies.map(({ cost }) => cost)).toEqual([1, 1, 1]);
    expect(search).toEqual({ candidates: 3, complete: true });
  });
});
