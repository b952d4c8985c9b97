import { dockerMissing } from '@stave/docker/testing';
import { describeOn, eventually, expectStatus, operationIdOf } from '@stave/testing';
import type { CloudEventView, ContainerView, NodeGroupView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

jest.setTimeout(400_000);

const STEP_MS = 120_000;
const flavor = { cpus: 0.5, memoryMb: 256 };
const autoscaling = { enabled: true, idleSeconds: 3, delayAfterGrowSeconds: 3 };

describeOn(dockerMissing(), 'A node group on Docker that follows what waits', () => {
  let harness: DockerHarness;
  beforeAll(async () => void (harness = await DockerHarness.open()));
  afterAll(() => harness?.close());

  it('grows from one node to three for containers that wait, and shrinks to one after them', async () => {
    const { api, engine } = harness;
    const { id } = await harness.cluster({
      name: 'scaled',
      driver: 'swarm_docker',
      nodeGroups: [
        { name: 'm', role: 'manager', count: 1, flavor },
        { name: 'w', role: 'worker', count: 1, minCount: 1, maxCount: 3, flavor, labels: { pool: 'w' }, autoscaling },
      ],
    });
    const group = `/v1/clusters/${id}/node-groups/w`;
    const workers = async () => (await engine.nodes(id)).filter(({ role, running }) => role === 'worker' && running);
    const first = (await workers()).map(node => node.id);
    // a node has room for one of them
    const body = { resources: { cpus: 0.3, memoryMb: 64 }, nodeSelector: { pool: 'w' } };
    const profile = await harness.profile(id, body);
    const asked = await Promise.all([1, 2, 3].map(() => api.post<ContainerView>('/v1/containers', { profile })));
    for (const answer of asked)
      expect((await api.operation(operationIdOf(expectStatus(answer, 202)) ?? '', STEP_MS)).status).toBe('SUCCEEDED');
    expect(await api.read<NodeGroupView>(group)).toMatchObject({ count: 3, nodesReady: 3 });
    const grown = (await workers()).map(node => node.id);
    expect(grown).toHaveLength(3);
    expect(grown).toEqual(expect.arrayContaining(first));
    const containers = await api.list<ContainerView>(`/v1/containers?clusterId=${id}`);
    expect(new Set(containers.map(({ nodeId }) => nodeId)).size).toBe(3);

    for (const container of containers.slice(1)) await harness.removeContainer(container);
    const isSmall = async () => (await workers()).length === 1 && (await api.read<NodeGroupView>(group)).count === 1;
    await eventually(isSmall, { timeoutMs: STEP_MS, everyMs: 200, what: 'one node' });
    const [kept] = await api.list<ContainerView>(`/v1/containers?clusterId=${id}`);
    expect(kept).toMatchObject({ id: containers[0]?.id, status: 'ACTIVE' });
    const { id: groupId } = await api.read<NodeGroupView>(group);
    const events = await api.list<CloudEventView & { readonly actor?: string }>(
      `/v1/node-groups/${groupId}/events?limit=200`,
    );
    const changes = events.filter(({ type }) => /resized|nodeRemovalAccepted/.test(type));
    expect(changes.length).toBeGreaterThanOrEqual(2);
    expect(changes.map(({ actor }) => actor)).toEqual(changes.map(() => 'autoscaler'));
  });
});
