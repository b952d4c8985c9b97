import fc from 'fast-check';
import type { NodeView } from '../placement/index.js';
import { node, request } from '../placement/placement.fixture.js';
import { growNodeGroups } from './grow-node-groups.js';
import { group, NOW, place, waiting } from './node-groups.fixture.js';
import { shrinkNodeGroups, type HeldRequest, type ShrinkInput } from './shrink-node-groups.js';

describe('shrinking node groups', () => {
  const nodes = (count: number, more: Partial<NodeView> = {}): readonly NodeView[] =>
    Array.from({ length: count }, (_, i) => node({ id: `n${i}`, name: `n${i}`, nodeGroupId: 'g', ...more }));
  const on = (nodeId: string, more: Partial<HeldRequest> = {}): HeldRequest => ({
    ...request({ id: `c-${nodeId}` }),
    nodeId,
    movable: true,
    ...more,
  });
  const allocated = (all: readonly NodeView[], containers: readonly HeldRequest[]): readonly NodeView[] =>
    all.map(view => {
      const own = containers.filter(({ nodeId }) => nodeId === view.id);
      const sum = (of: 'cpus' | 'memoryMb'): number => own.reduce((total, c) => total + c[of], 0);
      return { ...view, allocated: { cpus: sum('cpus'), memoryMb: sum('memoryMb') }, containers: own.length };
    });
  const input = (count: number, containers: readonly HeldRequest[], more: Partial<ShrinkInput> = {}): ShrinkInput => ({
    now: NOW,
    nodes: allocated(more.nodes ?? nodes(count), containers),
    containers,
    waiting: [],
    upcoming: false,
    reserve: [],
    groups: [group({ count })],
    grewAt: new Map(),
    since: new Map(nodes(count).map(({ id }) => [id, 0])),
    place,
    ...(({ nodes: _nodes, ...rest }) => rest)(more),
  });
  const removed = (given: ShrinkInput) => shrinkNodeGroups(given).remove.map(({ nodeId }) => nodeId);
  const block = (given: ShrinkInput, id = 'n0') => shrinkNodeGroups(given).blocked.get(id);

  it('removes empty nodes up to ten at once, down to the minimum', () => {
    expect(removed(input(14, []))).toHaveLength(10);
    expect(removed(input(3, [], { groups: [group({ count: 3, minCount: 2 })] }))).toHaveLength(1);
    expect(removed(input(1, [on('n0')]))).toEqual([]);
  });

  it('removes one node with containers, which have a place elsewhere', () => {
    const given = input(3, [on('n0'), on('n1'), on('n2')]);
    expect(removed(given)).toHaveLength(1);
    expect(shrinkNodeGroups(given).since.size).toBe(2);
    expect(block(input(2, [on('n0', { cpus: 1.5 }), on('n1', { cpus: 3 })]))).toBe('NO_OTHER_PLACE');
  });

  it('only after the idle time, in which it was a candidate at every evaluation', () => {
    const given = input(1, []);
    const first = shrinkNodeGroups({ ...given, since: new Map() });
    expect([first.remove, first.blocked.get('n0')]).toEqual([[], 'NOT_IDLE_LONG']);
    expect(removed({ ...given, now: NOW + 599_999, since: first.since })).toEqual([]);
    expect(removed({ ...given, now: NOW + 600_000, since: first.since })).toEqual(['n0']);
    const waited = shrinkNodeGroups({ ...given, since: first.since, waiting: waiting(1) });
    expect(waited.since.size).toBe(0);
  });

  it('never what is used, cannot move, waits, or grew lately', () => {
    expect(block(input(2, [on('n0', { cpus: 2 }), on('n1', { cpus: 2 })]))).toBe('USED');
    expect(block(input(2, [on('n0', { movable: false })]))).toBe('CANNOT_MOVE');
    expect(block(input(2, [on('n0', { hostNode: 'n0' })]))).toBe('CANNOT_MOVE');
    expect(block(input(2, [], { waiting: waiting(1) }))).toBe('WAITING');
    expect(block(input(2, [], { upcoming: true }))).toBe('WAITING');
    expect(block(input(2, [], { grewAt: new Map([['g', NOW - 599_999]]) }))).toBe('JUST_GREW');
    expect(block(input(2, [], { groups: [group({ count: 2, auto: { enabled: false } })] }))).toBe('DISABLED');
    expect(block(input(2, [], { groups: [group({ count: 2, minCount: 2 })] }))).toBe('AT_MIN');
  });

  it('keeps headroom, and what sets may need again', () => {
    const headroom = { cpus: 1, memoryMb: 100, containers: 4 };
    expect(removed(input(2, [], { groups: [group({ count: 2, auto: { headroom } })] }))).toHaveLength(1);
    expect(removed(input(2, [], { reserve: waiting(8) }))).toEqual([]);
    expect(removed(input(2, [], { reserve: waiting(4) }))).toHaveLength(1);
  });

  it('nothing that growing would bring back in another order of the requests', () => {
    const headroom = { cpus: 1, memoryMb: 100, containers: 1 };
    // refuses the headroom where it is asked for last, except on a new node
    const inThisOrder: ShrinkInput['place'] = (on, requests) =>
      requests.map(({ id }, i) => {
        const isLast = i === requests.length - 1 && id.startsWith('headroom');
        return { requestId: id, placed: !isLast || on.some(view => view.id.includes('new')) };
      });
    const groups = [group({ count: 2, auto: { headroom } })];
    expect(block(input(2, [], { groups, reserve: waiting(1), place: inThisOrder }))).toBe('WOULD_GROW');
  });

  it('takes from the fullest zone first', () => {
    const zoned = [...nodes(3, { zone: 'a' }), node({ id: 'a9', name: 'a9', nodeGroupId: 'g', zone: 'b' })];
    const given = input(4, [], { nodes: zoned, groups: [group({ count: 4, minCount: 3 })] });
    expect(removed({ ...given, since: new Map(zoned.map(({ id }) => [id, 0])) })).toEqual(['n0']);
  });

  it('growing brings nothing back of what it removed', () => {
    const sizes = fc.array(fc.tuple(fc.nat(4), fc.constantFrom(0.25, 0.5, 1, 2)), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, all => {
        const containers = all.map(([at, cpus], i) => on(`n${at}`, { id: `c${i}`, cpus, memoryMb: 100 }));
        const given = input(5, containers);
        const { remove } = shrinkNodeGroups(given);
        const gone = new Set(remove.map(({ nodeId }) => nodeId));
        const stay = given.nodes.filter(({ id }) => !gone.has(id));
        const moving = containers.filter(({ nodeId }) => gone.has(nodeId));
        expect(place(stay, moving).every(({ placed }) => placed)).toBe(true);
        const groups = [group({ count: stay.length })];
        const growth = growNodeGroups({ now: NOW, nodes: stay, waiting: moving, groups, place });
        expect(growth.proposals).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
