import { callSubject } from '@stave/contracts';
import { nodeGroupStream, RingView, slotOf, type NodeGroupState } from '@stave/domain';
import { createLogger, EmbeddedEventStore, MemoryMessaging } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { clusterCreated, groupSpec, PROJECT } from '@stave/service-kit/testing';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ExpectedCapacities } from './expected-capacities.js';

const CLUSTER = 'k';
const TIME = '2026-01-01T00:00:00.000Z';

function groupOf(id: string, cpus = 4): NodeGroupState {
  const spec = { ...groupSpec(0), maxCount: 3, autoscaling: { enabled: true }, flavor: { cpus, memoryMb: 8000 } };
  const data = { id, clusterId: CLUSTER, projectId: PROJECT, name: id, spec, operationId: 'o' };
  const state = nodeGroupStream.evolve(undefined, { type: 'NodeGroupCreated', data } as never, TIME);
  if (!state) throw new Error('the group was not created');
  return state;
}

describe('the expected capacities of node groups', () => {
  let store: EmbeddedEventStore;
  let messaging: MemoryMessaging;
  let capacities: ExpectedCapacities;
  let lines: string[];
  let ring: RingView;

  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    messaging = new MemoryMessaging();
    lines = [];
    const projection = new SchedulerProjection(store);
    const metadata = { schemaVersion: 1, time: TIME, correlationId: 'x', actor: 'test' };
    const created = { ...clusterCreated({ id: CLUSTER }), metadata, stream: `cluster-${CLUSTER}` };
    projection.clusters.apply({ ...created, id: 'e', revision: 0, position: 1 } as never);
    ring = new RingView();
    const drivers = [{ name: 'fake', version: '1.0.0', manifest: { name: 'fake', capabilities: [] } }];
    const member = { conductor: 'one', session: 's', group: '', weight: 1, release: '1.0.0', drivers };
    ring.apply({ type: 'ConductorJoined', data: { ...member, keyMode: 'group', kind: 'conductor' } }, 0);
    const log = createLogger('test', 'info', { write: line => void lines.push(line) });
    capacities = new ExpectedCapacities(projection, { view: ring }, messaging, log);
  });
  afterEach(async () => {
    await messaging.close();
    await store.close();
  });

  const answer = (id: string, reply: unknown): void => {
    const subject = callSubject(ring.tokenOf(ring.keyFor('', 'fake')), slotOf(id));
    messaging.serve(subject, 'test', async () => reply);
  };
  const known = (groups: readonly NodeGroupState[]) => [...capacities.in(CLUSTER, groups).keys()];

  it('logs a question that fails for another reason than a refusal, and continues', async () => {
    answer('a', 'not a reply of a service');
    expect(known([groupOf('a')])).toEqual([]);
    await eventually(async () => lines.length > 0);
    expect(lines.join()).toContain('the capacity of new nodes of the group is not known');
    expect(lines.join()).toContain('"nodeGroup":"a"');
    expect(known([groupOf('a')])).toEqual([]);
  });

  it('keeps the answers for the groups of a cluster that are there, each for its present flavor', async () => {
    const [one, other] = [groupOf('a'), groupOf('b')];
    for (const id of ['a', 'b']) answer(id, { ok: true, data: { cpus: 3.5, memoryMb: 7000 } });
    await eventually(async () => known([one, other]).length === 2);
    expect([...capacities.kept()]).toEqual([[CLUSTER, 2]]);
    for (let cpus = 5; cpus < 50; cpus += 1) capacities.in(CLUSTER, [groupOf('a', cpus), other]);
    expect([...capacities.kept()]).toEqual([[CLUSTER, 2]]);
    expect(known([other])).toEqual(['b']);
    expect([...capacities.kept()]).toEqual([[CLUSTER, 1]]);
    capacities.in(CLUSTER, []);
    expect([...capacities.kept()]).toEqual([]);
    await eventually(async () => known([one]).length === 1);
    capacities.forget(CLUSTER);
    expect([...capacities.kept()]).toEqual([]);
  });
});
