import type { NodeView } from '../model.js';
import { NodeTable } from '../node-table.js';
import { node, request } from '../placement.fixture.js';
import { explain } from './explain.js';
import type { ExplainInput } from './model.js';

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

  it('does not matter to a small fleet: it is searched to the end where there is none', () => {
    const nodes = ['a', 'b', 'c'].map(id => named(id, { schedulable: false }));
    const { remedies, search } = explain(input(nodes, { hasTime: () => false }));
    expect(remedies.map(({ cost }) => cost)).toEqual([1, 1, 1]);
    expect(search).toEqual({ candidates: 3, complete: true });
  });
});
