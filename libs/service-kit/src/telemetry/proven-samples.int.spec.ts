import {
  containerUsageSubject,
  groupContainerUsageSubject,
  groupUsageSubject,
  usageSubject,
  type ContainerUsageSamples,
  type UsageSamples,
} from '@stave/contracts';
import { groupToken, RingView } from '@stave/domain';
import { MemoryBroker, MemoryMessaging, type MessageSubscription } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { GroupProof } from '../ring/group-proof.js';
import type { RingFollower } from '../ring/ring-follower.js';
import { followSamples } from './proven-samples.js';

const groups: Readonly<Record<string, string>> = { n1: 'Site-A', n2: 'site-b', c1: 'site-a', c2: 'site-b' };
const nodes = { at: 't', nodeIds: ['n1', 'n2', 'n3'], cpuCores: [1, 2, 3], memoryMb: [10, 20, 30] };
const containers = {
  ...{ at: 't', periodMs: 1_000, containerIds: ['c2', 'c1'], nodeIds: ['n1', 'n1'] },
  ...{ cpuCores: [1, 2], memoryMb: [10, 20] },
};

describe('samples of conductors', () => {
  const messaging = new MemoryMessaging(new MemoryBroker());
  let mode: RingView['mode'];
  let seen: { readonly nodes: UsageSamples[]; readonly containers: ContainerUsageSamples[] };
  let subscriptions: readonly MessageSubscription[];
  beforeEach(() => {
    mode = 'group';
    seen = { nodes: [], containers: [] };
    const ring = {
      get view() {
        return { mode };
      },
    } as unknown as RingFollower;
    subscriptions = followSamples(messaging, new GroupProof(ring), {
      nodes: samples => void seen.nodes.push(samples),
      containers: samples => void seen.containers.push(samples),
      groupOfNode: id => groups[id],
      groupOfContainer: id => groups[id],
    });
  });
  afterEach(() => Promise.all(subscriptions.map(each => each.close())));

  const heard = async (subject: string, payload: object): Promise<unknown> => {
    messaging.publish(subject, payload);
    return eventually(() => [...seen.nodes, ...seen.containers].at(-1), 'the samples arrive');
  };

  it('of a group are those of its own nodes and containers, whatever else the message names', async () => {
    expect(await heard(groupUsageSubject(groupToken('site-a')), nodes)).toEqual({
      ...{ at: 't', nodeIds: ['n1'], cpuCores: [1], memoryMb: [10] },
    });
    const own = { ...containers, containerIds: ['c1'], nodeIds: ['n1'], cpuCores: [2], memoryMb: [20] };
    messaging.publish(groupContainerUsageSubject(groupToken('site-a')), containers);
    expect(await eventually(() => seen.containers[0], 'the samples arrive')).toEqual(own);
  });

  it('have what engines hold on the nodes, for the same nodes', async () => {
    const held = (memoryMb: number) => ({ cpus: 0, memoryMb, daemons: { cpus: 0, memoryMb: 0 } });
    const reserved = nodes.nodeIds.map((_, i) => (i === 0 ? held(5) : null));
    expect(await heard(groupUsageSubject(groupToken('site-a')), { ...nodes, reserved })).toEqual({
      ...{ at: 't', nodeIds: ['n1'], cpuCores: [1], memoryMb: [10], reserved: [held(5)] },
    });
    messaging.publish(usageSubject, { ...nodes, reserved: [null] });
    messaging.publish(usageSubject, nodes);
    expect(await eventually(() => seen.nodes[1], 'the samples arrive')).toEqual(nodes);
  });

  it('are taken from every group while the ring is pinned, and from the subject of earlier releases', async () => {
    expect(await heard(usageSubject, nodes)).toEqual(nodes);
    messaging.publish(containerUsageSubject, containers);
    expect(await eventually(() => seen.containers[0], 'the samples arrive')).toEqual(containers);
    mode = 'pinned';
    const all = { ...nodes, nodeIds: ['n1', 'n2', 'n1'] };
    messaging.publish(groupUsageSubject(groupToken('site-b')), all);
    expect(await eventually(() => seen.nodes[1], 'the samples arrive')).toEqual(all);
  });
});
