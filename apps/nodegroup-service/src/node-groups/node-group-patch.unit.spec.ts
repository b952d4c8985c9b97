import type { RefusedError } from '@stave/contracts';
import {
  RingView,
  clusterStream,
  decideRing,
  groupChanges,
  nodeGroupStream,
  updateNodeGroup,
  type ClusterEvent,
  type ClusterState,
  type NodeGroupPatch,
  type NodeGroupState,
} from '@stave/domain';
import { EmbeddedEventStore } from '@stave/platform';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { groupSpec } from '@stave/service-kit/testing';
import { checkPatch, groupDefaultsIn } from './node-group-patch.js';

const AT = '2026-01-01T00:00:00.000Z';
const manifest = {
  minimumFlavor: { memoryMb: 128 },
  defaults: { image: 'theirs' },
  options: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false },
};
const ring = new RingView();
const drivers = [{ name: 'small', version: '1.0.0', manifest }];
const own = { weight: 1, release: '1', keyMode: 'group', kind: 'conductor' } as const;
const joined = decideRing({ type: 'Join', conductor: 'c', session: 's', group: '', drivers, ...own }, ring.ringState);
if (!joined.ok) throw new Error(joined.detail);
for (const event of joined.events) ring.apply(event, ring.epoch + 1);

const made = { driver: 'small', driverVersion: '1.0.0', conductorGroup: '', network: {}, api: {}, labels: {} };
const spec = { ...made, defaults: { zones: [{ name: 'z' }] }, options: {} };
const created: ClusterEvent = {
  type: 'ClusterCreated',
  data: { id: 'k', name: 'k', projectId: 'p', spec, groups: [], operation: { id: 'c-1', kind: 'x', total: 1 } },
};
const state = nodeGroupStream.evolve(
  undefined,
  {
    type: 'NodeGroupCreated',
    data: { id: 'g', clusterId: 'k', projectId: 'p', name: 'w', spec: groupSpec(2) as never, operationId: 'n-1' },
  },
  AT,
) as NodeGroupState;

let projection: FleetProjection;
beforeEach(async () => {
  projection = new FleetProjection(await EmbeddedEventStore.open({ memory: true }));
});
const cluster = (...events: readonly ClusterEvent[]): void => {
  const folded = [created, ...events].reduce(
    (s: ClusterState | undefined, e) => clusterStream.evolve(s, e, AT),
    undefined,
  );
  jest.spyOn(projection.clusters, 'get').mockReturnValue(folded);
};
const changes = (patch: NodeGroupPatch) => groupChanges(state.spec, patch, groupDefaultsIn(ring, projection, state));
function refusal(patch: NodeGroupPatch): readonly string[] {
  const wanted = changes(patch);
  try {
    checkPatch({ ring, projection }, state, wanted, updateNodeGroup(state, wanted, { operationId: 'op' }));
    return [];
  } catch (error) {
    const { code, errors = [] } = (error as RefusedError).error;
    return errors.length > 0 ? errors.map(({ pointer, code: why }) => `${pointer} ${why}`) : [code];
  }
}

it('a patch is refused with every problem at once: bounds, the schema of options, the minimum flavor', () => {
  cluster();
  expect(refusal({ minCount: 3, flavor: { memoryMb: 64 }, options: { size: 'x', other: 1 } })).toEqual([
    '/minCount count-below-min',
    '/options/other unknown-option',
    '/options/size invalid-option',
    '/flavor/memoryMb below-minimum-flavor',
  ]);
  expect(refusal({ flavor: { memoryMb: 128 }, options: { size: 1 }, minCount: 2 })).toEqual([]);
});

it('a patch with null restores the default of the cluster, or else of the driver', () => {
  cluster();
  expect(changes({ zones: null, image: null, maxCount: null })).toEqual({
    zones: [{ name: 'z' }],
    image: 'theirs',
    maxCount: null,
  });
});

it('a patch is refused for a conductor group without a conductor, and for nodes of a paused cluster', () => {
  cluster();
  expect(refusal({ conductorGroup: 'nowhere' })).toEqual(['no-conductor-available']);
  cluster({ type: 'ClusterPaused', data: {} });
  for (const patch of [{ count: 5, labels: { a: '1' } }, { flavor: { cpus: 4 } }, { zones: ['q'] }])
    expect(refusal(patch)).toEqual(['paused']);
  expect(refusal({ labels: { a: '1' }, maxCount: 9 })).toEqual([]);
});
