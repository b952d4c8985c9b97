import fc from 'fast-check';
import type { NodeView, PlacementRequest } from '../model.js';
import { place } from '../place.js';
import { node, request } from '../placement.fixture.js';
import { candidate } from './candidates.js';
import { explain, refusalsOn } from './explain.js';
import { action, goAction, groups, inputOf, movableOn, sizes, views, wanted } from './explained-fleets.fixture.js';
import type { Change, ExplainInput, GrowableGroup, RemedyAction } from './model.js';
import { allowMissing, growBy, moveFrom, uncordon } from './node-changes.js';
import * as own from './request-changes.js';
import { simulate } from './simulate.js';

/** Whether everything finds a node when the actions are carried out, without the functions that found them. */
function works(
  nodes: readonly NodeView[],
  asked: PlacementRequest,
  grown: readonly GrowableGroup[],
  list: readonly RemedyAction[],
  size?: number,
) {
  const after = new Map(nodes.map(view => [view.id, view]));
  let wish = asked;
  const moved: PlacementRequest[] = [];
  for (const { path, body } of list) {
    const [, first = '', second = '', id = ''] = path.split('/');
    if (second === 'go') {
      const from = nodes.find(({ held = [] }) => held.length > 0)!;
      const { allocated, containers, held = [], ...kept } = after.get(from.id)!;
      after.set(from.id, {
        ...kept,
        containers: containers - 1,
        allocated: { cpus: allocated.cpus - (size ?? 0), memoryMb: allocated.memoryMb - 500 },
        held: held.flatMap(entry => (entry.count > 1 ? [{ ...entry, count: entry.count - 1 }] : [])),
      });
    } else if (first === 'request') wish = body as PlacementRequest;
    else if (first === 'move') {
      const from = nodes.find(view => second.startsWith(`${view.id}-`))!;
      const { allocated, containers, ...kept } = after.get(from.id)!;
      after.set(from.id, {
        ...kept,
        containers: containers - 1,
        allocated: { cpus: allocated.cpus - 0.5, memoryMb: allocated.memoryMb - 500 },
      });
      moved.push(request({ id: second, cpus: 0.5, memoryMb: 500, avoid: [from.id] }));
    } else if (second === 'nodes') after.set(id, { ...after.get(id)!, schedulable: true });
    else after.set('new-g', grown[0]!.node);
  }
  return place([...after.values()], [wish, ...moved]).every(({ placed }) => placed);
}

/** Asks for what is free once these are moved. */
function lowered(
  asked: PlacementRequest,
  free: { readonly cpus: number; readonly memoryMb: number },
  moves: readonly PlacementRequest[],
): readonly Change[] {
  const cpus = moves.reduce((sum, move) => sum + move.cpus, free.cpus);
  const memoryMb = moves.reduce((sum, move) => sum + move.memoryMb, free.memoryMb);
  return cpus > 0 && memoryMb > 0 ? [own.lowerTo(asked, cpus, memoryMb)] : [];
}

/** Every change that the specification names, for any node. */
function universe({
  table,
  request: asked,
  groups: grown = [],
  predecessor,
}: ExplainInput): readonly (readonly Change[])[] {
  const changes = table.views.flatMap((view, at): Change[] => {
    const free = { cpus: (table.freeMilli[at] ?? 0) / 1000, memoryMb: table.freeMemory[at] ?? 0 };
    const all = movableOn(view.id);
    const subsets = [...all.map(one => [one]), ...(all.length > 1 ? [all] : [])];
    return [
      ...own.dropLabels(asked, view),
      ...own.addTolerations(asked, view),
      ...(view.schedulable ? [] : [uncordon(view)]),
      ...[[], ...subsets].flatMap(moves => lowered(asked, free, moves)),
      ...subsets.map(moves => moveFrom(view, moves, [action])),
    ];
  });
  changes.push(
    ...grown.map(({ node: { capacity } }) => own.lowerTo(asked, capacity.cpus, capacity.memoryMb)),
    ...(asked.zone === undefined ? [] : [own.dropZone]),
    ...(asked.hostPorts ?? []).map(own.otherHostPort),
    ...(asked.spread ?? []).map(own.dropSpread),
    ...(asked.affinity ?? []).map((rule, at) =>
      own.dropAffinity(rule.kind === 'apart' ? 'ANTI_AFFINITY' : 'AFFINITY', rule, at),
    ),
  );
  if (predecessor) {
    const view = table.view(predecessor.nodeId)!;
    const free = (of: 'cpus' | 'memoryMb'): number => view.capacity[of] - view.allocated[of] + predecessor.request[of];
    const left = { cpus: free('cpus'), memoryMb: free('memoryMb') };
    const all = movableOn(view.id);
    changes.push(allowMissing(view, predecessor));
    changes.push(...[[], ...all.map(one => [one]), all].flatMap(moves => lowered(asked, left, moves)));
  }
  const distinct = [...new Map(changes.map(change => [change.id, change])).values()];
  return [...distinct.map(change => [change]), ...grown.flatMap(group => [growBy(group) ?? []])];
}

/** The least cost of any set of at most three changes that works and is cheaper than `claimed`, which is returned where there is none. */
function leastCost(input: ExplainInput, claimed: number): number {
  const single = [...universe(input)].sort((a, b) => candidate(a).cost - candidate(b).cost);
  let best = claimed;
  const extend = (taken: readonly Change[], from: number): void => {
    for (let i = from; i < single.length; i += 1) {
      const changes = [...taken, ...(single[i] ?? [])];
      const { cost } = candidate(changes);
      // the others cost as much at least
      if (cost >= best - 1e-9) return;
      if (changes.length > 3 || changes.filter(({ id }) => id.startsWith('lower')).length > 1) continue;
      if (simulate(input, changes) !== undefined) best = cost;
      else extend(changes, i + 1);
    }
  };
  extend([], 0);
  return best;
}

/** Checks that nothing is cheaper than the first remedy, and returns its actions; undefined where there is none. */
function isSmallest(input: ExplainInput): readonly RemedyAction[] | undefined {
  const { nodes, remedies, search } = explain(input);
  if (nodes.passing > 0) return undefined;
  expect(search.complete).toBe(true);
  const claimed = remedies[0]?.cost ?? Infinity;
  expect(leastCost(input, claimed)).toBe(claimed);
  return remedies[0]?.actions;
}

describe('explain for any nodes and requests', () => {
  it('each refusal is true, they count every node once, and each remedy places the request', () => {
    fc.assert(
      fc.property(views, wanted, groups, sizes, (nodes, asked, grown, size) => {
        const input = inputOf(nodes, asked, grown, size);
        const { nodes: counted, refusals, remedies } = explain(input);
        expect(counted.total).toBe(nodes.length);
        expect(counted.passing + refusals.reduce((sum, { count }) => sum + count, 0)).toBe(nodes.length);
        expect(counted.passing > 0).toBe(place(nodes, [asked])[0]?.placed);
        const first = new Map(refusals.flatMap(({ code, nodes: ids }) => ids.map(id => [id, code] as const)));
        for (const { id } of nodes) expect([id, refusalsOn(id, input)[0]?.code]).toEqual([id, first.get(id)]);
        expect(remedies.length).toBeLessThanOrEqual(3);
        for (const { actions } of remedies) expect(works(nodes, asked, grown, actions, size)).toBe(true);
        expect(remedies.map(({ cost }) => cost)).toEqual(remedies.map(({ cost }) => cost).sort((a, b) => a - b));
      }),
      { numRuns: 200 },
    );
  });

  it('when the search is complete, no set of changes is cheaper', () => {
    let found = 0;
    fc.assert(
      fc.property(views, wanted, groups, sizes, (nodes, asked, grown, size) => {
        if (isSmallest(inputOf(nodes, asked, grown, size)) !== undefined) found += 1;
      }),
      { numRuns: 120 },
    );
    expect(found).toBeGreaterThan(10);
  });

  it('nor where the set would have to let a member go first', () => {
    const full = views.map(list =>
      list.map(view => ({ ...view, ready: true, allocated: { ...view.allocated, cpus: view.capacity.cpus } })),
    );
    const member = wanted.map(asked => ({ ...asked, setId: 's' }));
    let went = 0;
    fc.assert(
      fc.property(full, member, groups, fc.constantFrom(0.5, 1), (nodes, asked, grown, size) => {
        const smallest = isSmallest(inputOf(nodes, asked, grown, size));
        if (smallest?.includes(goAction)) went += 1;
      }),
      { numRuns: 120 },
    );
    expect(went).toBeGreaterThan(5);
  });

  it('nor where what is moved fits only in the place of the member that goes first', () => {
    const taken = { allocated: { cpus: 4, memoryMb: 1000 }, containers: 2 };
    const hostPorts = [{ port: 80, protocol: 'tcp' }] as const;
    const held = [{ kind: { setId: 's', labels: {} }, count: 1 }];
    const from = node({ ...taken, id: 'n0', name: 'n0', zone: 'b', labels: { disk: 'hdd' }, held, hostPorts });
    const only = node({ ...taken, id: 'n1', name: 'n1', zone: 'a', labels: { disk: 'ssd' } });
    const place = { zone: 'a', nodeSelector: { disk: 'ssd' }, hostPorts };
    const asked = request({ ...place, cpus: 0.5, memoryMb: 1000, setId: 's' });
    expect(isSmallest(inputOf([from, only], asked, [], 0.5))).toContain(goAction);
  });

  it('nor where room needs both that containers move and that the request asks for less', () => {
    const matching = { zone: 'a', labels: { disk: 'ssd', rack: 'r' } };
    const from = node({ ...matching, id: 'n0', name: 'n0', allocated: { cpus: 4, memoryMb: 4000 }, containers: 4 });
    // too small for the request, and three changes away from it
    const others = fc
      .array(fc.constantFrom(0.5, 1, 1.5), { minLength: 1, maxLength: 3 })
      .map(list =>
        list.map((free, i) =>
          node({ id: `n${i + 1}`, name: `n${i + 1}`, zone: 'b', allocated: { cpus: 4 - free, memoryMb: 4000 } }),
        ),
      );
    let both = 0;
    fc.assert(
      fc.property(others, fc.constantFrom(2, 3, 5), (nodes, cpus) => {
        const asked = request({ cpus, zone: 'a', nodeSelector: matching.labels });
        const kinds = isSmallest(inputOf([from, ...nodes], asked, []))?.map(({ path }) => path.split('/')[1]);
        if (kinds?.includes('move') && kinds.includes('request')) both += 1;
      }),
      { numRuns: 60 },
    );
    expect(both).toBe(60);
  });

  it('the snapshot is as before, and the answer the same again in another order of the nodes', () => {
    fc.assert(
      fc.property(views, wanted, groups, (nodes, asked, grown) => {
        const input = inputOf(nodes, asked, grown);
        const first = explain(input);
        expect(input.table.views).toEqual(nodes);
        expect(explain(input)).toEqual(first);
        expect(explain(inputOf([...nodes].reverse(), asked, grown))).toEqual(first);
      }),
      { numRuns: 200 },
    );
  });
});
