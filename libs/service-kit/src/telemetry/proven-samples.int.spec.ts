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
import { SampledNode, SampledNodes } from './sampled-nodes.js';

const groupOfContainer: Readonly<Record<string, string>> = { c1: 'site-a', c2: 'site-b' };
const nodeGroupOf: Readonly<Record<string, string>> = { n1: 'g1', n2: 'g2', n4: 'g1' };
const nodes = { at: 't', nodeIds: ['n1', 'n2', 'n3'], cpuCores: [1, 2, 3], memoryMb: [10, 20, 30] };
const containers = {
  ...{ at: 't', periodMs: 1_000, containerIds: ['c2', 'c1'], nodeIds: ['n1', 'n1'] },
  ...{ cpuCores: [1, 2], memoryMb: [10, 20] },
};

describe('samples of conductors', () => {
  const messaging = new MemoryMessaging(new MemoryBroker());
  let mode: RingView['mode'];
  let groupOf: Record<string, string>;
  let seen: {
    readonly nodes: [UsageSamples, ...(string | undefined)[]][];
    readonly containers: ContainerUsageSamples[];
  };
  let subscriptions: readonly MessageSubscription[];
  beforeEach(() => {
    mode = 'group';
    groupOf = { g1: 'Site-A', g2: 'site-b' };
    seen = { nodes: [], containers: [] };
    const ring = {
      get view() {
        return { mode };
      },
    } as unknown as RingFollower;
    subscriptions = followSamples(messaging, new GroupProof(ring), {
      known: new SampledNodes(id => {
        const group = nodeGroupOf[id];
        return group === undefined ? undefined : new SampledNode(id, 'k', group);
      }),
      nodes: (samples, of) => void seen.nodes.push([samples, ...of.map(node => node?.id)]),
      containers: samples => void seen.containers.push(samples),
      groupOfNode: ({ nodeGroupId }) => groupOf[nodeGroupId],
      groupOfContainer: id => groupOfContainer[id],
    });
  });
  afterEach(() => Promise.all(subscriptions.map(each => each.close())));

  const heard = async (subject: string, payload: object): Promise<unknown> => {
    messaging.publish(subject, payload);
    return eventually(() => [...seen.nodes, ...seen.containers].at(-1), 'the samples arrive');
  };

  it('of a group are those of its own nodes and containers, whatever else the message names', async () => {
    expect(await heard(groupUsageSubject(groupToken('site-a')), nodes)).toEqual([nodes, 'n1', undefined, undefined]);
    const own = { ...containers, containerIds: ['c1'], nodeIds: ['n1'], cpuCores: [2], memoryMb: [20] };
    messaging.publish(groupContainerUsageSubject(groupToken('site-a')), containers);
    expect(await eventually(() => seen.containers[0], 'the samples arrive')).toEqual(own);
  });

  it('are those of its own nodes whatever another group sent before, and in whatever order they come', async () => {
    const send = async (group: string, ...nodeIds: string[]): Promise<unknown> => {
      const messages = seen.nodes.length;
      const values = nodeIds.map(() => 1);
      messaging.publish(groupUsageSubject(groupToken(group)), { at: 't', nodeIds, cpuCores: values, memoryMb: values });
      const [, ...of] = await eventually(() => seen.nodes[messages], 'the samples arrive');
      return of;
    };
    expect(await send('site-a', 'n1', 'n4')).toEqual(['n1', 'n4']);
    expect(await send('site-b', 'n1', 'n4', 'n2', 'n1')).toEqual([undefined, undefined, 'n2', undefined]);
    expect(await send('site-a', 'n4', 'n2', 'n1', 'n1', 'n3')).toEqual(['n4', undefined, 'n1', 'n1', undefined]);
    groupOf = { ...groupOf, g1: 'site-b' };
    expect(await send('site-a', 'n1', 'n4')).toEqual([undefined, undefined]);
    expect(await send('site-b', 'n1', 'n4')).toEqual(['n1', 'n4']);
    delete groupOf['g1'];
    expect(await send('site-b', 'n1', 'n2')).toEqual([undefined, 'n2']);
  });

  it('are not taken where their lists differ in length', async () => {
    messaging.publish(usageSubject, { ...nodes, reserved: [null] });
    messaging.publish(groupUsageSubject(groupToken('site-a')), { ...nodes, cpuCores: [1] });
    messaging.publish(usageSubject, nodes);
    expect(await eventually(() => seen.nodes[0], 'the samples arrive')).toEqual([nodes, 'n1', 'n2', undefined]);
  });

  it('are taken from every group while the ring is pinned, and from the subject of earlier releases', async () => {
    expect(await heard(usageSubject, nodes)).toEqual([nodes, 'n1', 'n2', undefined]);
    messaging.publish(containerUsageSubject, containers);
    expect(await eventually(() => seen.containers[0], 'the samples arrive')).toEqual(containers);
    mode = 'pinned';
    const all = { ...nodes, nodeIds: ['n1', 'n2', 'n1'] };
    messaging.publish(groupUsageSubject(groupToken('site-b')), all);
    expect(await eventually(() => seen.nodes[1], 'the samples arrive')).toEqual([all, 'n1', 'n2', 'n1']);
  });
});
