import type { RefusedError } from '@stave/contracts';
import { decideRing, RingView, type ClusterSpecification, type NodeGroupInput } from '@stave/domain';
import { resolvedSpec } from './plan-group.js';

describe('a node group as its driver allows it', () => {
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

  const problemsOf = (body: NodeGroupInput): readonly string[] => {
    try {
      resolvedSpec(ring, body, cluster);
      return [];
    } catch (error) {
      return ((error as RefusedError).error.errors ?? []).map(({ pointer }) => pointer);
    }
  };

  it.each([
    ['its own flavor', { flavor: { cpus: 1, memoryMb: 127 } }, ['/flavor/memoryMb']],
    ["the cluster's default flavor", {}, ['/flavor/memoryMb']],
    ['a flavor that is enough', { flavor: { cpus: 1, memoryMb: 128 } }, []],
  ])('%s', (_name, body, pointers) => {
    expect(problemsOf({ role: 'worker', ...body })).toEqual(pointers);
  });
});
