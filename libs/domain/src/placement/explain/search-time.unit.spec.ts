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
    const nodes = Array.from({ length: 50 }, (_, i) => named(`n${i}`, full));
    let looks = 0;
    const cut = explain(input(nodes, { ...more, hasTime: () => (looks += 1) <= 10 }));
    expect(cut).toMatchObject({ nodes: { total: 50, passing: 0 }, remedies: [], search: { complete: false } });
    expect(asked).toEqual([]);
    // time that ends after all nodes were examined ends the search before all that could be moved is listed
    looks = -45;
    const late = explain(input(nodes, { ...more, hasTime: () => (looks += 1) <= 10 }));
    expect(late.search).toEqual({ candidates: 0, complete: false });
    expect(asked).toHaveLength(5);
    asked.length = 0;
    // to uncordon three nodes costs less than any move
    const cordoned = ['x', 'y', 'z'].map(id => named(id, { schedulable: false }));
    const whole = explain(input([...nodes, ...cordoned], more));
    expect(whole.remedies.map(({ cost }) => cost)).toEqual([1, 1, 1]);
    expect(whole.search.complete).toBe(true);
    expect(asked).toEqual([]);
  });
});
