import { expectProblem, expectStatus, StaveClient } from '@stave/testing';
import { EmbeddedStack, type Stack } from '../e2e/stack.js';
import { DockerEngine } from './docker-engine.js';

const flavor = { cpus: 0.5, memoryMb: 256 };
const manager = { name: 'm', role: 'manager', count: 1, flavor };
const bound = [{ name: 'root', mountPath: '/host', options: { type: 'none', o: 'bind', device: '/' } }];
const ofBound = ['type', 'o', 'device'].map(name => `/volumes/0/options/${name}`);

describe('hostile members of a project on swarm_docker', () => {
  let stack: Stack;
  let api: StaveClient;
  const engine = new DockerEngine();
  const create = (body: object, query = '', by = api) =>
    by.post<{ id: string }>(`/v1/clusters${query}`, { driver: 'swarm_docker', ...body });

  beforeAll(async () => {
    await engine.prepare();
    stack = await EmbeddedStack.start(undefined, { DRIVERS_ENABLED: '' });
    api = new StaveClient(stack.url, stack.adminKey);
  }, 120_000);
  afterAll(() => stack.close());

  it('refuses images of nodes that the operator does not list, in plans too', async () => {
    const hostile = { nodeGroups: [{ ...manager, image: 'evil:1' }], defaults: { image: 'evil:2' } };
    for (const query of ['', '?dryRun=true'])
      expectProblem(await create(hostile, query), 422, '/nodeGroups/0/image', '/defaults/image');
  });

  it('refuses attributes that the driver does not honour', async () => {
    const group = { ...manager, dataVolumeGb: 5, flavor: { ...flavor, diskGb: 5 } };
    const body = { api: { port: 2376 }, network: { driver: 'x', options: { a: 1 } }, nodeGroups: [group] };
    const pointers = ['/api/port', '/network/driver', '/network/options'];
    const ofGroup = ['/nodeGroups/0/dataVolumeGb', '/nodeGroups/0/flavor/diskGb'];
    expectProblem(await create(body), 422, ...pointers, ...ofGroup);
  });

  it('refuses an option of clusters for node groups', async () => {
    const nodeGroups = [{ ...manager, options: { heartbeatSeconds: 2 } }];
    for (const query of ['', '?dryRun=true'])
      expectProblem(await create({ nodeGroups }, query), 422, '/nodeGroups/0/options/heartbeatSeconds');
  });

  it('refuses another subnet for a cluster with nodes, in plans too, and changes nothing', async () => {
    const network = { cidr: '10.223.0.0/24' };
    const cluster = expectStatus(await create({ nodeGroups: [manager], network }), 202);
    await api.succeed(cluster, 120_000);
    const path = `/v1/clusters/${cluster.body.id}`;
    const before = expectStatus(await api.get<{ revision: number }>(path), 200).body;
    const patch = { network: { cidr: '10.223.1.0/24' } };
    for (const query of ['', '?dryRun=true'])
      expectProblem(await api.patch(`${path}${query}`, patch), 422, '/network/cidr');
    expect(expectStatus(await api.get<{ revision: number }>(path), 200).body).toMatchObject({
      revision: before.revision,
      network,
      status: 'ACTIVE',
    });
    await api.succeed(api.delete(path), 120_000);
  });

  it('refuses projects other than default, in plans and through templates too', async () => {
    const project = expectStatus(await api.post<{ id: string }>('/v1/projects', { name: 'tenant' }), 201).body.id;
    const key = expectStatus(await api.post<{ key: string }>('/v1/api-keys', { project, role: 'member' }), 201).body
      .key;
    const tenant = new StaveClient(stack.url, key);
    for (const driver of ['swarm_docker', 'k8s_docker'])
      for (const query of ['', '?dryRun=true'])
        expect(expectProblem(await create({ driver, nodeGroups: [manager] }, query, tenant), 403)).toMatchObject({
          code: 'driver-not-allowed',
        });
    const template = { name: 't', driver: 'swarm_docker', nodeGroups: [manager] };
    expectStatus(await tenant.post('/v1/cluster-templates', template), 201);
    const used = await tenant.post('/v1/clusters', { from: { clusterTemplate: 't' } });
    expect(expectProblem(used, 403)).toMatchObject({ code: 'driver-not-allowed' });
  });

  it('offers Kubernetes to the project default beside Swarm', async () => {
    const nodeGroups = [{ ...manager, flavor: { cpus: 2, memoryMb: 2_048 } }];
    expectStatus(await create({ driver: 'k8s_docker', nodeGroups }, '?dryRun=true'), 200);
  });

  it('refuses containers and profiles that reach the node, before anything runs', async () => {
    const cluster = expectStatus(await create({ name: 'hostile' }), 202);
    await api.succeed(cluster, 60_000);
    const hostCluster = cluster.body.id;
    const profile = { name: 'p', image: 'stave/busybox:1', hostCluster };
    expectProblem(await api.post('/v1/container-profiles', { ...profile, volumes: bound }), 422, ...ofBound);
    expectStatus(await api.post('/v1/container-profiles', profile), 201);
    for (const query of ['', '?dryRun=true'])
      expectProblem(await api.post(`/v1/containers${query}`, { profile: 'p', volumes: bound }), 422, ...ofBound);
    const networks = { profile: 'p', network: { name: 'host' } };
    expectProblem(await api.post('/v1/containers', networks), 422, '/network/name');
    await api.succeed(api.delete(`/v1/clusters/${hostCluster}`), 60_000);
  });
});
