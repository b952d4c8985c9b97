import {
  decideClusterPlacement,
  emptyCluster,
  evictNode,
  evolveClusterPlacement,
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
  it('keeps why a reservation is where it is, until it is released', () => {
    expect(given(reserved).explanations.get('c1')).toEqual(explanation);
    expect(given(reserved, released).explanations.size).toBe(0);
  });

  it('tells that a node is empty only when it is closed and nothing is reserved, once per revision', () => {
    expect(evictNode(given(), 'n1', 2)).toEqual([]);
    expect(evictNode(given(reserved, shut), 'n1', 2)).toEqual([]);
    const told = evictNode(given(reserved, shut, released), 'n1', 2);
    expect(told).toEqual([{ type: 'NodeEvicted', data: { nodeId: 'n1', nodeRevision: 2 } }]);
    const state = given(shut, ...told);
    expect(evictNode(state, 'n1', 2)).toEqual([]);
    expect(evictNode(state, 'n1', 3)).toHaveLength(1);
  });

  it('reserves nothing once the cluster is closed', () => {
    const capacity = new Map([['n1', { cpus: 4, memoryMb: 1000 }]]);
    const command = { type: 'Reserve', placements: [reservation], capacity } as const;
    expect(decideClusterPlacement(command, given()).ok).toBe(true);
    expect(decideClusterPlacement(command, given({ type: 'ClusterPlacementClosed', data: {} })).ok).toBe(false);
  });

  it('is gone when it is closed, no container is left and nothing is reserved, told once', () => {
    expect(emptyCluster(given(), 1).map(e => e.type)).toEqual(['ClusterPlacementClosed']);
    expect(emptyCluster(given(reserved), 0).map(e => e.type)).toEqual(['ClusterPlacementClosed']);
    const all = emptyCluster(given(), 0);
    expect(all.map(e => e.type)).toEqual(['ClusterPlacementClosed', 'ClusterContainersGone']);
    expect(emptyCluster(given(...all), 0)).toEqual([]);
  });
});
