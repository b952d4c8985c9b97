import type { NodeView, PlacementRequest } from './model.js';
import { NodeTable } from './node-table.js';
import { node, request } from './placement.fixture.js';
import { standingViolations } from './standing-violations.js';

const kind = { setId: 's', labels: { app: 'web' } };
/** A node in the zone of its name with so many containers of the set. */
const holding = (id: string, count: number, more: Partial<NodeView> = {}): NodeView =>
  node({ id, name: id, zone: id, containers: count, ...(count > 0 && { held: [{ kind, count }] }), ...more });
const broken = (nodes: readonly NodeView[], rules: Partial<PlacementRequest>) => {
  const on = standingViolations(request({ ...kind, ...rules }), new NodeTable(nodes));
  return nodes.map(({ id }) => on(id).join());
};

describe('rules that stand broken by what runs', () => {
  it('places that the lists exclude', () => {
    const nodes = [holding('a', 1), holding('b', 1)];
    expect(broken(nodes, { placement: { zones: [{ name: 'b' }] } })).toEqual(['NOT_IN_PLACEMENT', '']);
    expect(broken(nodes, { placement: { restrictions: [{ zones: [{ name: 'b', weight: 0 }] }] } })).toEqual([
      '',
      'NOT_IN_PLACEMENT',
    ]);
    expect(broken(nodes, {})).toEqual(['', '']);
  });

  it('containers that must be apart, not counting the container itself', () => {
    const nodes = [holding('a', 1), holding('b', 2), holding('c', 3)];
    const apart = (more: object) => ({ affinity: [{ kind: 'apart' as const, by: 'node', ...more }] });
    expect(broken(nodes, apart({}))).toEqual(['', 'ANTI_AFFINITY', 'ANTI_AFFINITY']);
    expect(broken(nodes, apart({ maxPer: 2 }))).toEqual(['', '', 'ANTI_AFFINITY']);
    expect(broken(nodes, apart({ mode: 'soft' }))).toEqual(['', '', '']);
    expect(broken(nodes, apart({ with: { labels: { app: 'db' } } }))).toEqual(['', '', '']);
  });

  it('containers that must be together, unless there is none elsewhere', () => {
    const together = { affinity: [{ kind: 'together' as const, by: 'node' }] };
    expect(broken([holding('a', 1), holding('b', 2)], together)).toEqual(['AFFINITY', '']);
    expect(broken([holding('a', 1)], together)).toEqual(['']);
  });

  it('units that are too full next to the least filled one that is open', () => {
    const nodes = [holding('a', 3), holding('b', 1), holding('c', 0, { schedulable: false })];
    const spread = (maxSkew: number, mode: 'hard' | 'soft' = 'hard') => ({ spread: [{ by: 'zone', maxSkew, mode }] });
    expect(broken(nodes, spread(1))).toEqual(['SPREAD_EXCEEDED', '', '']);
    expect(broken(nodes, spread(2))).toEqual(['', '', '']);
    expect(broken(nodes, spread(1, 'soft'))).toEqual(['', '', '']);
  });

  it('nodes that use more than they may, and those whose use is not known where that is refused', () => {
    const nodes = [
      holding('a', 1, { use: { cpu: 0.9, memory: 0.2 } }),
      holding('b', 1, { use: { cpu: 0.1, memory: 0.7 } }),
      holding('c', 1),
    ];
    expect(broken(nodes, { placement: { maxCpuUse: 0.8 } })).toEqual(['UTILISATION_TOO_HIGH', '', '']);
    expect(broken(nodes, { placement: { maxMemoryUse: 0.5, whenUnknown: 'refuse' } })).toEqual([
      '',
      'UTILISATION_TOO_HIGH',
      'UTILISATION_UNKNOWN',
    ]);
    expect(broken(nodes, { placement: { whenUnknown: 'refuse' } })).toEqual(['', '', '']);
  });

  it('nothing is broken on a node that is not there', () => {
    expect(standingViolations(request(kind), new NodeTable([]))('none')).toEqual([]);
  });
});
