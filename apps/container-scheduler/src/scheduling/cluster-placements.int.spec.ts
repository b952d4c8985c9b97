import { accept, decideClusterPlacement, type ClusterPlacement } from '@stave/domain';
import { EmbeddedEventStore } from '@stave/platform';
import { ClusterPlacements } from './cluster-placements.js';

const context = { correlationId: 'c', actor: 'a' };
const close = (state: ClusterPlacement) =>
  decideClusterPlacement({ type: 'CloseNode', nodeId: 'n1', reason: 'cordoned' }, state);

describe('the placements of clusters', () => {
  let store: EmbeddedEventStore;
  let placements: ClusterPlacements;
  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    placements = new ClusterPlacements(store);
  });
  afterEach(() => store.close());

  it('a cluster without events takes no memory when it is asked for or a decision changes nothing', async () => {
    await placements.append('k1', () => accept(), context);
    expect(placements.seen('k1').ledger.closed.size).toBe(0);
    expect(placements.known('k1')).toBeUndefined();
  });

  it('the first event of a cluster changes the state of this cluster only', async () => {
    placements.seen('k2');
    await placements.append('k1', close, context);
    expect([...placements.seen('k1').ledger.closed.keys()]).toEqual(['n1']);
    expect(placements.seen('k1')).toBe(placements.get('k1'));
    expect(placements.seen('k2').ledger.closed.size).toBe(0);
    await placements.append('k2', close, context);
    await placements.append('k1', state => decideClusterPlacement({ type: 'OpenNode', nodeId: 'n1' }, state), context);
    expect(['k1', 'k2'].map(id => placements.seen(id).ledger.closed.size)).toEqual([0, 1]);
  });

  it('decisions that are requested at once follow each other', async () => {
    const seen: number[] = [];
    const counted = (state: ClusterPlacement) => {
      seen.push(state.ledger.closed.size);
      return close(state);
    };
    await Promise.all([placements.append('k1', counted, context), placements.append('k1', counted, context)]);
    expect(seen).toEqual([0, 1]);
    expect(await store.readStream('placement-k1')).toHaveLength(1);
  });
});
