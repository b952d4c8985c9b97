import type { NodeView, PlacementRequest } from '../model.js';
import { NodeTable } from '../node-table.js';
import { node, request } from '../placement.fixture.js';
import { explain, refusalsOn } from './explain.js';
import type { ExplainInput, GrowableGroup } from './model.js';

const named = (id: string, over: Partial<NodeView> = {}): NodeView => node({ id, name: id, ...over });
const full = { allocated: { cpus: 4, memoryMb: 8000 }, containers: 4 };
const input = (
  nodes: readonly NodeView[],
  over: Partial<PlacementRequest> = {},
  more: Partial<ExplainInput> = {},
): ExplainInput => ({
  table: new NodeTable(nodes),
  request: request(over),
  changeRequest: after => [{ method: 'PATCH', path: '/v1/container-sets/s', body: after }],
  ...more,
});
const group = (over: Partial<GrowableGroup> = {}): GrowableGroup => ({
  id: 'g1',
  name: 'workers',
  node: named('new'),
  count: 2,
  maxCount: 2,
  isAutoscaled: true,
  ...over,
});

describe('explain', () => {
  it('counts each node at its first refusal, with at most five of them, and shows all refusals of one', () => {
    const nodes = [
      ...Array.from({ length: 7 }, (_, i) => named(`z${6 - i}`, { zone: 'b', ready: false })),
      named('full', { zone: 'a', ...full }),
    ];
    const asked = input(nodes, { zone: 'a' });
    expect(explain(asked)).toMatchObject({
      nodes: { total: 8, passing: 0 },
      refusals: [
        { code: 'ZONE_MISMATCH', count: 7, nodes: ['z0', 'z1', 'z2', 'z3', 'z4'] },
        { code: 'INSUFFICIENT_ROOM', count: 1, nodes: ['full'] },
      ],
    });
    expect(refusalsOn('z0', asked).map(({ code }) => code)).toEqual(['ZONE_MISMATCH', 'NODE_NOT_READY']);
    expect(refusalsOn('none', asked)).toEqual([]);
  });

  it('compares a spread only with domains that are open, also in what refuses on one node', () => {
    const member = [{ kind: { setId: 's', labels: {} }, count: 1 }];
    const nodes = [named('closed', { zone: 'a', ready: false }), named('b', { ...full, zone: 'b', held: member })];
    const asked = input(nodes, { setId: 's', spread: [{ by: 'zone' }] });
    expect(explain(asked).refusals.map(({ code }) => code)).toEqual(['NODE_NOT_READY', 'INSUFFICIENT_ROOM']);
    expect(refusalsOn('b', asked).map(({ code }) => code)).toEqual(['INSUFFICIENT_ROOM']);
    expect(refusalsOn('closed', asked).map(({ code }) => code)).toEqual(['NODE_NOT_READY']);
    // a closed node is refused by what it would be compared with if it were open
    const crowded = [named('x', { zone: 'a', ready: false, held: [{ ...member[0]!, count: 2 }] }), ...nodes.slice(1)];
    const codes = refusalsOn('x', { ...asked, table: new NodeTable(crowded) }).map(({ code }) => code);
    expect(codes).toEqual(['NODE_NOT_READY', 'SPREAD_EXCEEDED']);
  });

  it('finds the smallest remedies, the cheapest first, with the actions that carry them out', () => {
    const nodes = [
      named('a', { schedulable: false }),
      named('b', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
      named('c', { schedulable: false, taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
    ];
    const { remedies, search } = explain(input(nodes, {}, { groups: [group()] }));
    expect(remedies).toEqual([
      {
        actions: [{ method: 'POST', path: '/v1/nodes/a/actions/uncordon' }],
        codes: ['NODE_NOT_SCHEDULABLE'],
        cost: 1,
        verified: true,
        nodeId: 'a',
        places: 1,
        sentence: 'Uncordon node a.',
      },
      expect.objectContaining({
        actions: [{ method: 'PATCH', path: '/v1/node-groups/g1', body: { maxCount: 3 } }],
        cost: 2,
      }),
      expect.objectContaining({ codes: ['TAINT_NOT_TOLERATED'], cost: 2, nodeId: 'b' }),
    ]);
    expect(remedies[1]).not.toHaveProperty('nodeId');
    expect(remedies[2]?.actions[0]?.body).toMatchObject({ tolerations: [{ key: 'gpu', effect: 'NoSchedule' }] });
    expect(search).toEqual({ candidates: 3, complete: true });
  });

  it('places what waits longer first: opens another node, or lets a group grow by more', () => {
    const ahead = [request({ id: 'first', cpus: 3 }), request({ id: 'second', cpus: 3 })];
    const cordoned = ['a', 'b', 'c'].map(id => named(id, { schedulable: false }));
    const opened = explain(input(cordoned, { cpus: 3 }, { ahead })).remedies;
    expect(opened).toMatchObject([{ cost: 3, actions: [{}, {}, {}], places: 1 }]);
    const grows = group({ maxCount: 9, isAutoscaled: false });
    const grown = explain(input([named('a', full)], { cpus: 3 }, { ahead, groups: [grows] })).remedies;
    expect(grown[0]).toMatchObject({
      cost: 9,
      actions: [{ path: '/v1/node-groups/g1/actions/resize', body: { count: 5 } }],
    });
    const atMax = group({ isAutoscaled: false });
    const raised = explain(input([named('a', full)], { cpus: 3 }, { ahead: ahead.slice(1), groups: [atMax] })).remedies;
    expect(raised[0]).toMatchObject({
      cost: 8,
      actions: [{ body: { maxCount: 4 } }, { body: { count: 4 } }],
    });
  });

  it('offers no change that the API cannot carry out', () => {
    const asked = input([named('a', { zone: 'b' })], { zone: 'a' }, { changeRequest: () => undefined });
    expect(explain(asked)).toMatchObject({ remedies: [], search: { candidates: 0, complete: true } });
  });

  it('lowers the request to what is free, which costs more the more it gives away', () => {
    const nodes = [
      named('a', { allocated: { cpus: 3.5, memoryMb: 0 } }),
      named('b', { allocated: { cpus: 3.25, memoryMb: 0 } }),
    ];
    const { remedies } = explain(input(nodes));
    expect(remedies.map(({ cost, nodeId }) => ({ cost, nodeId }))).toEqual([
      { cost: 3, nodeId: 'b' },
      { cost: 4, nodeId: 'b' },
    ]);
    expect(remedies[0]?.actions).toMatchObject([{ body: { cpus: 0.75, memoryMb: 1000 } }]);
  });

  it('moves containers only when they find another node', () => {
    const movable = (id: string): readonly PlacementRequest[] => (id === 'a' ? [request({ id: 'c1', cpus: 0.5 })] : []);
    const more = { movableOn: movable, moveContainer: (id: string) => ({ method: 'POST', path: `/m/${id}` }) as const };
    const nodes = [named('a', { allocated: { cpus: 3.5, memoryMb: 4000 } })];
    const elsewhere = named('b', { allocated: { cpus: 3.5, memoryMb: 0 } });
    const asked = (list: readonly NodeView[]) => input(list, {}, { ...more, changeRequest: () => undefined });
    expect(explain(asked(nodes)).remedies).toEqual([]);
    expect(explain(asked([...nodes, elsewhere])).remedies).toMatchObject([
      { actions: [{ path: '/m/c1' }], cost: 5, places: 2, nodeId: 'a' },
    ]);
  });

  it('uncordons the node that a moved container needs', () => {
    const nodes = [
      named('a', { allocated: { cpus: 3.5, memoryMb: 4000 }, zone: 'a' }),
      named('b', { allocated: { cpus: 3.5, memoryMb: 0 }, zone: 'b', schedulable: false }),
    ];
    const { remedies } = explain(
      input(
        nodes,
        { zone: 'a' },
        {
          movableOn: id => (id === 'a' ? [request({ id: 'c1', cpus: 0.5 })] : []),
          moveContainer: id => ({ method: 'POST', path: `/m/${id}` }),
          changeRequest: () => undefined,
        },
      ),
    );
    expect(remedies).toMatchObject([
      { cost: 6, places: 2, actions: [{ path: '/m/c1' }, { path: '/v1/nodes/b/actions/uncordon' }] },
    ]);
  });

  it('drops a spread that only another change makes too strict', () => {
    // without the selector zone b is open as well, which has none of the members and no room for one
    const nodes = [
      named('a', { zone: 'a', held: [{ kind: { setId: 's', labels: {} }, count: 1 }], labels: { disk: 'hdd' } }),
      named('b', { zone: 'b', labels: { disk: 'hdd' }, ...full }),
    ];
    const asked = input(nodes, { setId: 's', nodeSelector: { disk: 'ssd' }, spread: [{ by: 'zone' }] });
    const [first] = explain({ ...asked, request: { ...asked.request, cpus: 0, memoryMb: 0 } }).remedies;
    expect(first).toMatchObject({ codes: ['LABELS_MISMATCH'], cost: 2, nodeId: 'b' });
    expect(explain(asked).remedies[0]).toMatchObject({
      codes: ['LABELS_MISMATCH', 'SPREAD_EXCEEDED'],
      cost: 4,
      nodeId: 'a',
    });
  });

  it('rebinds a volume as the last resort', () => {
    const volume = { name: 'v1', driver: 'local', scope: 'node', nodeId: 'gone', lost: true } as const;
    expect(explain(input([named('a')], { volumes: [volume] })).remedies).toMatchObject([
      { cost: 50, actions: [{ path: '/v1/volumes/v1/actions/rebind', body: { discardData: true } }] },
    ]);
  });

  it('offers no rebind while a container still uses the volume on the lost node', () => {
    const lost = { name: 'v1', driver: 'local', scope: 'node', nodeId: 'gone', lost: true } as const;
    const volumes = [{ ...lost, attachedTo: ['gone'] }];
    expect(explain(input([named('a')], { volumes })).remedies).toEqual([]);
  });

  it('lets a set have one member less where the request fits in the place of its predecessor', () => {
    const predecessor = {
      nodeId: 'a',
      request: request({ id: 'old', cpus: 1, memoryMb: 1000, setId: 's', labels: {} }),
      actions: [{ method: 'PATCH', path: '/v1/container-sets/s', body: { updateStrategy: { maxUnavailable: 1 } } }],
    } as const;
    const held = [{ kind: { setId: 's', labels: {} }, count: 1, leaving: 1 }];
    const successor = { setId: 's', labels: {}, cpus: 1, memoryMb: 1000 };
    const nodes = [named('a', { ...full, held }), named('b', full)];
    const smallest = (over: Partial<PlacementRequest>, more: Partial<ExplainInput> = { predecessor }) =>
      explain(input(nodes, { ...successor, ...over }, more)).remedies[0];
    expect(smallest({})).toMatchObject({ cost: 2, nodeId: 'a', places: 1, actions: predecessor.actions });
    // it is the predecessor that the request would have to be apart from
    const affinity = [{ kind: 'apart', by: 'node' }] as const;
    const own = { ...predecessor, request: { ...predecessor.request, affinity } };
    const kept = [{ kind: { setId: 's', labels: {}, affinity }, count: 1, leaving: 1 }];
    const apart = [named('a', { ...full, held: kept }), named('b', full)];
    const asked = input(apart, { ...successor, affinity }, { predecessor: own });
    expect(explain(asked).remedies[0]).toMatchObject({ cost: 2, nodeId: 'a', actions: predecessor.actions });
    expect(smallest({ cpus: 2 })?.actions).not.toEqual(predecessor.actions);
    expect(smallest({}, {})?.cost).not.toBe(2);
  });

  it('a group below its maximum is resized, one at its maximum that is not scaled automatically needs both', () => {
    const grown = (over: Partial<GrowableGroup>) =>
      explain(input([], {}, { groups: [group({ isAutoscaled: false, ...over })] })).remedies;
    expect(grown({ maxCount: 5 })).toMatchObject([{ cost: 3, actions: [{ body: { count: 3 } }] }]);
    expect(grown({})).toMatchObject([{ cost: 5, actions: [{ body: { maxCount: 3 } }, { body: { count: 3 } }] }]);
    expect(grown({ blocked: { code: 'QUOTA', sentence: 'The quota is used up.' } })).toEqual([]);
    const held = { blocked: { code: 'PAUSED', sentence: 'A user has resized it.', isOpenToUsers: true } } as const;
    expect(grown({ ...held, maxCount: 5 })).toMatchObject([{ cost: 3, actions: [{ body: { count: 3 } }] }]);
    expect(grown({ ...held, isAutoscaled: true })).toMatchObject([{ cost: 5, actions: [{}, { body: { count: 3 } }] }]);
  });

  it.each([
    ['AT_MAX', {}],
    ['DISABLED', { isAutoscaled: false }],
    ['UPCOMING', { maxCount: 3 }],
    ['WOULD_NOT_FIT', { node: named('new', { capacity: { cpus: 0.5, memoryMb: 100 } }) }],
    ['BACKOFF', { blocked: { code: 'BACKOFF', sentence: 'It rests.' } as const }],
  ])('says %s about a group that did not grow', (code, over) => {
    const { growth } = explain(input([named('a', full)], {}, { groups: [group(over)] }));
    expect(growth).toMatchObject([{ nodeGroup: 'g1', code }]);
  });

  it('claims nothing about cheaper remedies when its time ends or more containers could be moved', () => {
    const cordoned = Array.from({ length: 100 }, (_, i) => named(`n${i}`, { schedulable: false }));
    expect(explain(input(cordoned, {}, { hasTime: () => false }))).toMatchObject({
      remedies: [],
      search: { candidates: 0, complete: false },
    });
    const many = Array.from({ length: 4 }, (_, i) => request({ id: `c${i}`, cpus: 0.25, memoryMb: 1 }));
    const crowded = input([named('a', full)], {}, { movableOn: () => many, moveContainer: () => undefined });
    expect(explain(crowded)).toMatchObject({ remedies: [], search: { complete: false } });
  });

  it('a request that a node can take needs no remedy', () => {
    const answer = explain(input([named('a'), named('b', full)]));
    expect(answer).toMatchObject({ nodes: { total: 2, passing: 1 }, remedies: [], search: { complete: true } });
  });
});
