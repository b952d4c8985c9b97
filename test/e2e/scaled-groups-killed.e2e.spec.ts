import { eventually, expectStatus } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { CloudEventView, ContainerView, NodeGroupView, ResourceView } from './views.js';

jest.setTimeout(180_000);

interface GroupEvent extends CloudEventView {
  readonly data: {
    readonly count?: number;
    readonly nodeIds?: readonly string[];
    readonly cause?: { readonly proposalId: string };
  };
}

const CONTAINERS = 18;
const NODES = 5;

it('a node group grows and shrinks by the right number although each step is interrupted by SIGKILL', async () => {
  let running = await EmbeddedStack.start();
  const killed = async (): Promise<Fleet> => {
    await running.end('SIGKILL');
    running = await EmbeddedStack.start(running.dataDir);
    return new Fleet(running);
  };
  try {
    let fleet = new Fleet(running);
    const autoscaling = { enabled: true, idleSeconds: 1, delayAfterGrowSeconds: 1 };
    const group = { count: 0, maxCount: 9, flavor: large, autoscaling };
    const { id: hostCluster } = await fleet.cluster({ options: { latencyMs: 100 } }, [group]);
    const profile = { name: 'web', image: 'web:1', hostCluster, resources: { cpus: 1, memoryMb: 64 } };
    expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201);
    for (let i = 0; i < CONTAINERS; i++) expectStatus(await fleet.api.post('/v1/containers', { profile: 'web' }), 202);
    const now = (): Promise<NodeGroupView> => fleet.group(hostCluster);
    const containers = (): Promise<readonly ContainerView[]> => fleet.api.list('/v1/containers?limit=100');

    // before the proposal, after it, and while nodes are being built
    fleet = await killed();
    await eventually(async () => (await now()).count > 0, 'the group grows');
    fleet = await killed();
    await eventually(async () => (await now()).nodesTotal > 0, 'nodes are being built');
    fleet = await killed();
    await eventually(
      async () => (await containers()).filter(({ status }) => status === 'ACTIVE').length === CONTAINERS,
      { timeoutMs: 60_000, what: 'all containers run' },
    );
    expect(await now()).toMatchObject({ count: NODES, nodesTotal: NODES });

    for (const { id } of await containers()) expectStatus(await fleet.api.delete(`/v1/containers/${id}`), 202);
    fleet = await killed();
    await eventually(async () => (await now()).count < NODES, { timeoutMs: 60_000, what: 'the group shrinks' });
    fleet = await killed();
    await eventually(
      async () => {
        const { count, nodesTotal } = await now();
        return count === 0 && nodesTotal === 0;
      },
      { timeoutMs: 60_000, what: 'no node is left' },
    );

    const { id } = await now();
    const events = await fleet.api.list<GroupEvent>(`/v1/node-groups/${id}/events?limit=500`);
    const causes = events.flatMap(({ data }) => data.cause?.proposalId ?? []);
    expect(new Set(causes).size).toBe(causes.length);
    const grown = events.filter(({ type }) => type.includes('nodeGroup.resized')).map(({ data }) => data.count);
    expect(grown.at(-1)).toBe(NODES);
    const removed = events
      .filter(({ type }) => type.includes('nodeRemovalAccepted'))
      .flatMap(e => e.data.nodeIds ?? []);
    expect(removed).toHaveLength(NODES);
    expect(new Set(removed).size).toBe(NODES);
  } finally {
    await running.end('SIGKILL');
  }
});
