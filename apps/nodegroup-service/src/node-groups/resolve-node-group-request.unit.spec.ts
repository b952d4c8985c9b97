import type { RefusedError } from '@stave/contracts';
import {
  decideRing,
  RingView,
  type ClusterSpecification,
  type NodeGroupAttributesInput,
  type NodeGroupSource,
} from '@stave/domain';
import { resolveNodeGroupRequest } from './resolve-node-group-request.js';

describe('resolveNodeGroupRequest', () => {
  const manifest = { minimumFlavor: { memoryMb: 128 } };
  const cluster: ClusterSpecification = {
    driver: 'small',
    driverVersion: '1.0.0',
    conductorGroup: '',
    network: {},
    api: {},
    labels: {},
    defaults: { flavor: { cpus: 1, memoryMb: 64 } },
    options: {},
  };

  const ring = new RingView();
  const drivers = [{ name: 'small', version: '1.0.0', manifest }];
  const own = { weight: 1, release: '1', keyMode: 'group', kind: 'conductor' } as const;
  const decision = decideRing(
    { type: 'Join', conductor: 'c', session: 's', group: '', drivers, ...own },
    ring.ringState,
  );
  if (!decision.ok) throw new Error(decision.detail);
  for (const event of decision.events) ring.apply(event, ring.epoch + 1);

  const ID = '019a0000-0000-7000-8000-0000000000ff';
  const plan = (body: NodeGroupAttributesInput, from?: NodeGroupSource) =>
    resolveNodeGroupRequest(ring, body, cluster, ID, from);
  const problemsOf = (body: NodeGroupAttributesInput, from?: NodeGroupSource): readonly string[] => {
    try {
      plan(body, from);
      return [];
    } catch (error) {
      return ((error as RefusedError).error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
    }
  };

  it.each([
    [
      'rejects a flavor of the request below the minimum of the driver',
      { flavor: { cpus: 1, memoryMb: 127 } },
      ['/flavor/memoryMb below-minimum-flavor'],
    ],
    [
      'rejects a default flavor of the cluster below the minimum of the driver',
      {},
      ['/flavor/memoryMb below-minimum-flavor'],
    ],
    ['accepts a flavor that is large enough', { flavor: { cpus: 1, memoryMb: 128 } }, []],
  ])('%s', (_name, body, problems) => {
    expect(problemsOf({ role: 'worker', ...body })).toEqual(problems);
  });

  it('reports every missing or invalid attribute at once', () => {
    expect(problemsOf({ count: 1, minCount: 3, maxCount: 2 })).toEqual([
      '/role required',
      '/minCount min-above-max',
      '/count below-min-count',
      '/flavor/memoryMb below-minimum-flavor',
    ]);
  });

  const source = (attributes: NodeGroupSource['attributes'], driver?: string): NodeGroupSource => ({
    ref: { type: 'nodeGroupTemplate', id: 't', name: 'web' },
    attributes,
    marks: {},
    ...(driver === undefined ? {} : { driver }),
  });

  it('takes open attributes from the source, and names the group after it', () => {
    const flavor = { cpus: 2, memoryMb: 1024 };
    const from = source({ role: 'worker', count: 3, flavor, image: 'one' });
    expect(plan({ count: 5 }, from)).toMatchObject({
      id: ID,
      name: expect.stringMatching(/^web-[0-9a-z]{6}$/),
      spec: { role: 'worker', count: 5, flavor, image: 'one', minCount: 0, zones: [] },
      source: from.ref,
      origins: {
        role: { from: 'source', source: from.ref },
        count: { from: 'request' },
        minCount: { from: 'default' },
      },
    });
    expect(plan({ image: null }, from).spec.image).toBeUndefined();
  });

  it('points to the source for problems of the source', () => {
    expect(problemsOf({}, source({ flavor: { cpus: 1, memoryMb: 64 } }, 'large'))).toEqual([
      '/from driver-mismatch',
      '/role required',
      '/from below-minimum-flavor',
    ]);
  });
});
