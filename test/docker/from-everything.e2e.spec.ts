import { dockerMissing } from '@stave/docker/testing';
import { describeOn, expectStatus } from '@stave/testing';
import type { ClusterView, NodeGroupView, ResourceView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

jest.setTimeout(600_000);

const flavor = (name: string, cpus: number, memoryMb: number) => ({ name, cpus, memoryMb });
const tiny = flavor('tiny', 0.4, 200);
const small = flavor('small', 0.5, 256);
const medium = flavor('medium', 0.6, 320);
const large = flavor('large', 0.7, 384);

describeOn(dockerMissing(), 'Clusters on Docker that are created from several sources', () => {
  let harness: DockerHarness;
  beforeAll(async () => void (harness = await DockerHarness.open()));
  afterAll(() => harness?.close());

  it('a cluster combines a template of an existing cluster with node groups from a template, from another cluster and from attributes', async () => {
    const { api, engine } = harness;
    const managers = { name: 'managers', role: 'manager', count: 1, flavor: small };
    const [source, other] = await Promise.all([
      harness.cluster({
        name: 'source',
        driver: 'swarm_docker',
        labels: { env: 'prod' },
        nodeGroups: [managers, { name: 'workers', role: 'worker', count: 1, flavor: medium, zones: ['a', 'b'] }],
      }),
      harness.cluster({
        name: 'other',
        driver: 'swarm_docker',
        nodeGroups: [
          { ...managers, flavor: tiny },
          { name: 'edge', role: 'worker', count: 1, flavor: tiny, zones: ['far'], labels: { site: 'far' } },
        ],
      }),
    ]);
    await api.succeed(api.post('/v1/cluster-templates', { name: 'standard', from: { cluster: 'source' } }));
    await api.succeed(api.post('/v1/node-group-templates', { name: 'big', role: 'worker', count: 1, flavor: large }));
    const edge = await api.read<NodeGroupView>(`/v1/clusters/${other.id}/node-groups/edge`);
    const mixed = await harness.cluster({
      name: 'mixed',
      from: { clusterTemplate: 'standard' },
      nodeGroups: [
        { name: 'workers', count: 2 },
        { name: 'heavy', from: { nodeGroupTemplate: 'big' } },
        { name: 'edge', from: { nodeGroup: edge.id }, zones: ['near'] },
        { name: 'plain', role: 'worker', flavor: tiny },
      ],
    });
    // the sources can be deleted without a change of the cluster
    expectStatus(await api.delete('/v1/cluster-templates/standard'), 204);
    expectStatus(await api.delete('/v1/node-group-templates/big'), 204);
    await Promise.all([source, other].map(({ id }) => harness.remove(id)));

    expect(await api.read<ClusterView>('/v1/clusters/mixed')).toMatchObject({
      status: 'ACTIVE',
      labels: { env: 'prod' },
      nodeCounts: { total: 6, ready: 6 },
    });
    const groups = await api.list<ResourceView>(`/v1/clusters/${mixed.id}/node-groups`);
    const nameOf = new Map(groups.map(({ id, name }) => [id, name]));
    const nodes = await engine.nodes(mixed.id);
    const shown = nodes.map(({ nodeGroupId, flavor: name, cpus, memoryMb, zone = '-', role, running }) =>
      [nameOf.get(nodeGroupId), name, cpus, memoryMb, zone, role, running].join(' '),
    );
    console.info(`nodes on the engine:\n  ${[...shown].sort().join('\n  ')}`);
    expect([...shown].sort()).toEqual([
      'edge tiny 0.4 200 near worker true',
      'heavy large 0.7 384 - worker true',
      'managers small 0.5 256 - manager true',
      'plain tiny 0.4 200 - worker true',
      'workers medium 0.6 320 a worker true',
      'workers medium 0.6 320 b worker true',
    ]);
    expect(await engine.units(mixed.id)).toBe(7);
    await harness.remove(mixed.id);
  });
});
