import { describeOn, expectStatus } from '@stave/testing';
import type { ClusterView, NodeGroupView, ResourceView } from '../e2e/views.js';
import { dockerMissing } from './docker-engine.js';
import { DockerHarness } from './docker-harness.js';

jest.setTimeout(180_000);

const flavor = (name: string, cpus: number, memoryMb: number) => ({ name, cpus, memoryMb });
const tiny = flavor('tiny', 0.4, 200);
const small = flavor('small', 0.5, 256);
const medium = flavor('medium', 0.6, 320);
const large = flavor('large', 0.7, 384);

describeOn(dockerMissing(), 'Clusters created from templates, groups and attributes, on Docker', () => {
  let world: DockerHarness;
  beforeAll(async () => void (world = await DockerHarness.open()));
  afterAll(() => world?.close());

  it('a cluster combines a template of an existing cluster with groups from a template, from another cluster and from attributes', async () => {
    const { api, engine } = world;
    const managers = { name: 'managers', role: 'manager', count: 1, flavor: small };
    const [living, other] = await Promise.all([
      world.cluster({
        name: 'living',
        driver: 'swarm_docker',
        labels: { env: 'prod' },
        nodeGroups: [managers, { name: 'workers', role: 'worker', count: 1, flavor: medium, zones: ['a', 'b'] }],
      }),
      world.cluster({
        name: 'other',
        driver: 'swarm_docker',
        nodeGroups: [
          { ...managers, flavor: tiny },
          { name: 'edge', role: 'worker', count: 1, flavor: tiny, zones: ['far'], labels: { site: 'far' } },
        ],
      }),
    ]);
    await api.succeed(api.post('/v1/cluster-templates', { name: 'standard', from: { cluster: 'living' } }));
    await api.succeed(api.post('/v1/node-group-templates', { name: 'big', role: 'worker', count: 1, flavor: large }));
    const edge = await api.read<NodeGroupView>(`/v1/clusters/${other.id}/node-groups/edge`);
    const mixed = await world.cluster({
      name: 'mixed',
      from: { clusterTemplate: 'standard' },
      nodeGroups: [
        { name: 'workers', count: 2 },
        { name: 'heavy', from: { nodeGroupTemplate: 'big' } },
        { name: 'edge', from: { nodeGroup: edge.id }, zones: ['near'] },
        { name: 'plain', role: 'worker', flavor: tiny },
      ],
    });
    // the removal of the sources does not change the cluster
    expectStatus(await api.delete('/v1/cluster-templates/standard'), 204);
    expectStatus(await api.delete('/v1/node-group-templates/big'), 204);
    await Promise.all([living, other].map(({ id }) => world.remove(id)));

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
    await world.remove(mixed.id);
  });
});
