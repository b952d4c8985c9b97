import {
  closePlacement,
  completeEviction,
  decideClusterPlacement,
  evolveClusterPlacement,
  failEviction,
  initialClusterPlacement,
  type ClusterPlacement,
  type ClusterPlacementEvent,
} from './cluster-placement.js';

const explanation = { scores: [], refusals: [], seed: 1, policy: 'default' };
const reservation = { containerId: 'c1', nodeId: 'n1', cpus: 1, memoryMb: 100, explanation };
const reserved: ClusterPlacementEvent = { type: 'PlacementsReserved', data: { placements: [reservation] } };
const released: ClusterPlacementEvent = { type: 'PlacementsReleased', data: { containerIds: ['c1'] } };
const shut: ClusterPlacementEvent = { type: 'PlacementNodeClosed', data: { nodeId: 'n1', reason: 'drained' } };

const given = (...events: ClusterPlacementEvent[]): ClusterPlacement =>
  events.reduce(evolveClusterPlacement, initialClusterPlacement());

describe('the placement of a cluster', () => {
  it('a placement stream keeps the explanation of a reservation until it is released', () => {
    expect(given(reserved).explanations.get('c1')).toEqual(explanation);
    expect(given(reserved, released).explanations.size).toBe(0);
  });

  it('an eviction completes only when the node is closed and nothing is reserved on it, once per revision', () => {
    expect(completeEviction(given(), { nodeId: 'n1', nodeRevision: 2 })).toEqual([]);
    expect(completeEviction(given(reserved, shut), { nodeId: 'n1', nodeRevision: 2 })).toEqual([]);
    const reported = completeEviction(given(reserved, shut, released), { nodeId: 'n1', nodeRevision: 2 });
    expect(reported).toEqual([{ type: 'NodeEvictionCompleted', data: { nodeId: 'n1', nodeRevision: 2 } }]);
    const state = given(shut, ...reported);
    expect(completeEviction(state, { nodeId: 'n1', nodeRevision: 2 })).toEqual([]);
    expect(completeEviction(state, { nodeId: 'n1', nodeRevision: 3 })).toHaveLength(1);
  });

  it('an eviction fails only when no remaining container can be removed, once per revision', () => {
    const node = { id: 'n1', revision: 2 };
    expect(failEviction(given(), node, [])).toEqual([]);
    expect(failEviction(given(), node, ['a: no', undefined])).toEqual([]);
    const reported = failEviction(given(), node, ['a: no', 'b: no']);
    const reason = '2 containers could not be removed from it: a: no; b: no';
    expect(reported).toEqual([{ type: 'NodeEvictionFailed', data: { nodeId: 'n1', nodeRevision: 2, reason } }]);
    expect(failEviction(given(...reported), node, ['a: no'])).toEqual([]);
    expect(failEviction(given(...reported), { ...node, revision: 3 }, ['a: no'])).toHaveLength(1);
  });

  it('a closed cluster accepts no reservation', () => {
    const capacity = new Map([['n1', { cpus: 4, memoryMb: 1000 }]]);
    const command = { type: 'Reserve', placements: [reservation], capacity } as const;
    expect(decideClusterPlacement(command, given()).ok).toBe(true);
    expect(decideClusterPlacement(command, given({ type: 'ClusterPlacementClosed', data: {} })).ok).toBe(false);
  });

  it('a closed cluster reports once that all containers are removed, when none is left and nothing is reserved', () => {
    expect(closePlacement(given(), 1).map(e => e.type)).toEqual(['ClusterPlacementClosed']);
    expect(closePlacement(given(reserved), 0).map(e => e.type)).toEqual(['ClusterPlacementClosed']);
    const all = closePlacement(given(), 0);
    expect(all.map(e => e.type)).toEqual(['ClusterPlacementClosed', 'ClusterContainersRemoved']);
    expect(closePlacement(given(...all), 0)).toEqual([]);
  });
});
