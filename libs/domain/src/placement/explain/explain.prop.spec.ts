import fc from 'fast-check';
import type { AffinityRule, NodeView, PlacementRequest } from '../model.js';
import { NodeTable } from '../node-table.js';
import { place } from '../place.js';
import { node, request } from '../placement.fixture.js';
import { candidate } from './candidates.js';
import { explain, refusalsOn } from './explain.js';
import type { Change, ExplainInput, GrowableGroup, RemedyAction } from './model.js';
import { growBy, moveFrom, uncordon } from './node-changes.js';
import * as own from './request-changes.js';
import { simulate } from './simulate.js';

const kind = (setId: string) => ({ setId, labels: {} });
const views = fc
  .array(
    fc.record({
      zone: fc.constantFrom('a', 'b'),
      ready: fc.constantFrom(true, true, true, false),
      schedulable: fc.constantFrom(true, true, false),
      disk: fc.constantFrom('ssd', 'hdd'),
      tainted: fc.constantFrom(false, false, true),
      used: fc.integer({ min: 2, max: 8 }),
      members: fc.nat({ max: 2 }),
      port: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map(list =>
    list.map(({ disk, tainted, used, members, port, ...rest }, i): NodeView =>
      node({
        ...rest,
        id: `n${i}`,
        name: `n${i}`,
        labels: { disk },
        taints: tainted ? [{ key: 'gpu', effect: 'NoSchedule' }] : [],
        allocated: { cpus: used / 2, memoryMb: 500 * used },
        containers: used,
        held: members > 0 ? [{ kind: kind('s'), count: members }] : [],
        hostPorts: port ? [{ port: 80, protocol: 'tcp' }] : [],
      }),
    ),
  );
const wanted = fc
  .record(
    {
      setId: fc.constant('s'),
      zone: fc.constantFrom('a', 'b', 'c'),
      nodeSelector: fc.constantFrom({ disk: 'ssd' }, { disk: 'nvme' }),
      hostPorts: fc.constant([{ port: 80, protocol: 'tcp' as const }]),
      spread: fc.constant([{ by: 'zone', maxSkew: 1 }]),
      affinity: fc.constantFrom<AffinityRule[]>([{ kind: 'apart', by: 'node' }], [{ kind: 'together', by: 'zone' }]),
      cpus: fc.constantFrom(0.5, 1, 2, 5),
    },
    { requiredKeys: ['cpus'] },
  )
  .map(over => request({ memoryMb: 1000, ...over }));
const groups = fc.array(
  fc
    .record({
      count: fc.integer({ min: 1, max: 2 }),
      maxCount: fc.constantFrom(2, 9),
      isAutoscaled: fc.boolean(),
      zone: fc.constantFrom('a', 'b'),
    })
    .map(({ zone, ...rest }): GrowableGroup => {
      const next = node({ id: 'new-g', name: 'new-g', zone, labels: { disk: 'ssd' } });
      return { id: 'g', name: 'g', node: next, ...rest };
    }),
  { maxLength: 1 },
);
/** Half a CPU and 500 MB each, without a set. */
const movableOn = (nodeId: string): readonly PlacementRequest[] =>
  nodeId === 'n0' || nodeId === 'n1'
    ? [1, 2].map(i => request({ id: `${nodeId}-${i}`, cpus: 0.5, memoryMb: 500 }))
    : [];
const action = { method: 'POST', path: '/x' } as const;

function inputOf(nodes: readonly NodeView[], asked: PlacementRequest, grown: readonly GrowableGroup[]): ExplainInput {
  return {
    table: new NodeTable(nodes),
    request: asked,
    groups: grown,
    movableOn,
    changeRequest: body => [{ method: 'PATCH', path: '/request', body }],
    moveContainer: id => ({ method: 'POST', path: `/move/${id}` }),
  };
}

/** Whether everything finds a node when the actions are carried out, without the functions that found them. */
function works(
  nodes: readonly NodeView[],
  asked: PlacementRequest,
  grown: readonly GrowableGroup[],
  list: readonly RemedyAction[],
) {
  const after = new Map(nodes.map(view => [view.id, view]));
  let wish = asked;
  const moved: PlacementRequest[] = [];
  for (const { path, body } of list) {
    const [, first = '', second = '', id = ''] = path.split('/');
    if (first === 'request') wish = body as PlacementRequest;
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

/** Every change that the specification names, for any node. */
function universe({ table, request: asked, groups: grown = [] }: ExplainInput): readonly (readonly Change[])[] {
  const changes = table.views.flatMap((view, at): Change[] => {
    const free = { cpus: (table.freeMilli[at] ?? 0) / 1000, memoryMb: table.freeMemory[at] ?? 0 };
    const all = movableOn(view.id);
    const subsets = [...all.map(one => [one]), ...(all.length > 1 ? [all] : [])];
    return [
      ...own.dropLabels(asked, view),
      ...own.addTolerations(asked, view),
      ...(view.schedulable ? [] : [uncordon(view)]),
      ...(free.cpus > 0 && free.memoryMb > 0 ? [own.lowerTo(asked, free.cpus, free.memoryMb)] : []),
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
  const distinct = [...new Map(changes.map(change => [change.id, change])).values()];
  return [...distinct.map(change => [change]), ...grown.flatMap(group => [growBy(group) ?? []])];
}

/** The least cost of any set of at most three changes that works, by trying all of them. */
function leastCost(input: ExplainInput): number {
  const single = universe(input);
  let best = Infinity;
  const extend = (taken: readonly Change[], from: number): void => {
    for (let i = from; i < single.length; i += 1) {
      const changes = [...taken, ...(single[i] ?? [])];
      if (changes.length > 3 || changes.filter(({ id }) => id.startsWith('lower')).length > 1) continue;
      const { cost } = candidate(changes);
      if (cost >= best) continue;
      if (simulate(input, changes) !== undefined) best = cost;
      else extend(changes, i + 1);
    }
  };
  extend([], 0);
  return best;
}

describe('explain for any nodes and requests', () => {
  it('each refusal is true, they count every node once, and each remedy places the request', () => {
    fc.assert(
      fc.property(views, wanted, groups, (nodes, asked, grown) => {
        const input = inputOf(nodes, asked, grown);
        const { nodes: counted, refusals, remedies } = explain(input);
        expect(counted.total).toBe(nodes.length);
        expect(counted.passing + refusals.reduce((sum, { count }) => sum + count, 0)).toBe(nodes.length);
        expect(counted.passing > 0).toBe(place(nodes, [asked])[0]?.placed);
        for (const { code, nodes: ids } of refusals) {
          if (code === 'SPREAD_EXCEEDED') continue;
          for (const id of ids) expect(refusalsOn(id, input).map(refusal => refusal.code)).toContain(code);
        }
        expect(remedies.length).toBeLessThanOrEqual(3);
        for (const { actions } of remedies) expect(works(nodes, asked, grown, actions)).toBe(true);
        expect(remedies.map(({ cost }) => cost)).toEqual(remedies.map(({ cost }) => cost).sort((a, b) => a - b));
      }),
      { numRuns: 200 },
    );
  });

  it('when the search is complete, no set of changes is cheaper', () => {
    let found = 0;
    fc.assert(
      fc.property(views, wanted, groups, (nodes, asked, grown) => {
        const input = inputOf(nodes, asked, grown);
        const { nodes: counted, remedies, search } = explain(input);
        if (counted.passing > 0) return;
        const least = leastCost(input);
        expect(search.complete).toBe(true);
        expect(remedies[0]?.cost ?? Infinity).toBeCloseTo(least, 9);
        if (least < Infinity) found += 1;
      }),
      { numRuns: 80 },
    );
    expect(found).toBeGreaterThan(10);
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
