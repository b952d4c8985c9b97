import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerMissing } from '@stave/docker/testing';
import { TestPlugin } from '@stave/driver-swarm-docker/testing';
import { describeOn, eventually, expectProblem, expectStatus } from '@stave/testing';
import type { ContainerView, NodeView, ResourceView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

jest.setTimeout(600_000);

interface Attached extends ContainerView {
  readonly networkId: string | null;
  readonly address: string | null;
  readonly ports: readonly { readonly containerPort: number; readonly hostPort: number }[];
}
interface Addressed extends NodeView {
  readonly addresses: readonly string[];
}
interface AttachmentView extends ResourceView {
  readonly scope: string;
  readonly nodeId?: string | null;
  readonly usedBy?: readonly string[];
  readonly attachedTo?: readonly string[];
}

const flavor = { cpus: 0.5, memoryMb: 256 };
const shell = (script: string): readonly string[] => ['sh', '-c', script];
const serving = (page: string): readonly string[] =>
  shell(`mkdir /w; echo ${page} >/w/index.html; httpd -f -p 80 -h /w`);

describeOn(dockerMissing(), 'Networks, volumes and ports on Docker', () => {
  let root = '';
  let plugin: TestPlugin;
  let harness: DockerHarness;
  let cluster = '';
  let nodes: readonly Addressed[] = [];
  /** Runs a container on the n-th worker. */
  const runOn = (n: number, body: object): Promise<Attached> =>
    harness.run<Attached>(cluster, { ...body, hostNode: nodes[n]?.id });
  const listed = (kind: 'networks' | 'volumes') =>
    harness.api.list<AttachmentView>(`/v1/clusters/${cluster}/${kind}?limit=100`);
  const found = async (kind: 'networks' | 'volumes', name: string) =>
    (await listed(kind)).find(each => each.name === name);
  const isGone = (kind: 'networks' | 'volumes', name: string) =>
    eventually(async () => (await found(kind, name)) === undefined, { what: `${name} is removed` });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'stave-plugin-'));
    plugin = new TestPlugin(root, 'shared');
    await plugin.start();
    const { name, socket, directory } = plugin;
    const file = join(root, 'plugins.json');
    await writeFile(file, JSON.stringify([{ name, socket, directory }]));
    harness = await DockerHarness.open({ SWARM_DOCKER_PLUGINS_FILE: file });
    const made = await harness.cluster({
      name: 'attached',
      driver: 'swarm_docker',
      options: { plugins: ['shared'] },
      nodeGroups: [
        { name: 'm', role: 'manager', count: 1, flavor },
        { name: 'w', role: 'worker', count: 2, flavor },
      ],
    });
    cluster = made.id;
    const all = await harness.api.list<Addressed>(`/v1/clusters/${cluster}/nodes?limit=10`);
    nodes = all.filter(({ role }) => role === 'worker');
  });
  afterAll(async () => {
    await harness?.close();
    await plugin?.close();
    await rm(root, { recursive: true, force: true });
  });

  it('two containers on two nodes talk to each other by name and by fixed address in an overlay', async () => {
    const network = { name: 'mesh', driver: 'overlay', options: { subnet: '10.70.0.0/24' } };
    const server = await runOn(0, { command: serving('overlay-page'), network: { ...network, ipv4: '10.70.0.9' } });
    expect(server.address).toBe('10.70.0.9');
    const ask = (host: string): string => `until wget -qO- http://${host}/; do sleep 0.2; done`;
    const command = shell(`${ask(server.name)}; ${ask('10.70.0.9')}; sleep 100000`);
    const client = await runOn(1, { command, network });
    expect(client.nodeId).not.toBe(server.nodeId);
    await eventually(async () => (await harness.logOf(client, 'overlay-page')).match(/overlay-page/g)?.length === 2, {
      timeoutMs: 90_000,
      what: 'both answers',
    });
    expect(await found('networks', 'mesh')).toMatchObject({
      scope: 'cluster',
      status: 'ACTIVE',
      usedBy: expect.arrayContaining([server.id, client.id]),
    });
    for (const container of [server, client]) await harness.removeContainer(container);
    await isGone('networks', 'mesh');
  });

  it('a local volume keeps its data on one node, where later containers go', async () => {
    const volumes = [{ name: 'books', mountPath: '/x' }];
    const writer = await harness.run(cluster, { volumes, command: shell('echo kept >/x/f; sleep 100000') });
    const read = { volumes, command: shell('until cat /x/f; do sleep 0.1; done; sleep 100000') };
    const reader = await harness.run(cluster, read);
    await harness.logOf(reader, 'kept');
    for (const container of [writer, reader]) await harness.removeContainer(container);
    const later = await harness.run(cluster, read);
    await harness.logOf(later, 'kept');
    expect([reader.nodeId, later.nodeId]).toEqual([writer.nodeId, writer.nodeId]);
    const { id, nodeId, scope } = (await found('volumes', 'books'))!;
    expect({ nodeId, scope }).toEqual({ nodeId: writer.nodeId, scope: 'node' });
    expect(expectProblem(await harness.api.delete(`/v1/volumes/${id}`), 409).code).toBe('in-use');
    await harness.removeContainer(later);
    await harness.api.succeed(harness.api.delete(`/v1/volumes/${id}`), 60_000);
  });

  it('a volume of a plug-in is read on another node than the one that wrote it', async () => {
    const volumes = [{ name: 'shelf', driver: 'shared', mountPath: '/x', reclaimPolicy: 'delete' }];
    const writer = await runOn(0, { volumes, command: shell('echo across >/x/f; sleep 100000') });
    const reader = await runOn(1, { volumes, command: shell('until cat /x/f; do sleep 0.1; done; sleep 100000') });
    await harness.logOf(reader, 'across');
    expect(await found('volumes', 'shelf')).toMatchObject({ scope: 'cluster', status: 'ACTIVE' });
    for (const container of [writer, reader]) await harness.removeContainer(container);
    await isGone('volumes', 'shelf');
    expect(await readdir(plugin.directory)).toEqual([]);
  });

  it('an exclusive volume of a plug-in is on one node at a time, and goes with its data to the next', async () => {
    const volumes = [
      { name: 'ledger', driver: 'shared', accessMode: 'exclusive', mountPath: '/x', reclaimPolicy: 'delete' },
    ];
    const holder = await runOn(0, { volumes, command: shell('echo owned >/x/f; cat /x/f; sleep 100000') });
    // a container is ACTIVE as soon as it has started, which is before its first command has ended
    await harness.logOf(holder, 'owned');
    const body = { volumes, command: shell('cat /x/f; sleep 100000'), hostNode: nodes[1]?.id };
    const profile = await harness.profile(cluster, body);
    const asked = expectStatus(await harness.api.post<Attached>('/v1/containers', { profile }), 202).body;
    const isRefused = async () =>
      JSON.stringify((await harness.api.read<Attached>(`/v1/containers/${asked.id}`)).placement)?.includes(
        'VOLUME_IN_USE',
      );
    await eventually(isRefused, { what: 'the second node is refused' });
    await harness.removeContainer(holder);
    const isActive = async () =>
      (await harness.api.read<Attached>(`/v1/containers/${asked.id}`)).status === 'ACTIVE' && asked;
    await harness.logOf(await eventually(isActive, { what: 'the volume is free' }), 'owned');
    await harness.removeContainer(asked);
    await isGone('volumes', 'ledger');
  });

  it('a network of a plug-in is made on each node that needs it, and removed with the last container', async () => {
    const calls = (call: string): number => plugin.calls.filter(each => each === `NetworkDriver.${call}`).length;
    const network = { name: 'fabric', driver: 'shared', options: { subnet: '10.71.0.0/24' } };
    const joined = [await runOn(0, { network }), await runOn(1, { network })];
    expect(new Set(joined.map(({ networkId }) => networkId)).size).toBe(1);
    expect([calls('CreateNetwork'), calls('Join')]).toEqual([3, 2]);
    for (const container of joined) await harness.removeContainer(container);
    await isGone('networks', 'fabric');
    expect(calls('DeleteNetwork')).toBe(calls('CreateNetwork'));
  });

  it('host ports, given and chosen, are reached from outside at the address of the node', async () => {
    const ports = [
      { containerPort: 80, hostPort: 8080 },
      { containerPort: 81, hostPort: 0 },
    ];
    const both = (page: string) =>
      shell(`mkdir /w; echo ${page} >/w/index.html; httpd -p 81 -h /w; httpd -f -p 80 -h /w`);
    const servers = [
      await harness.run<Attached>(cluster, { ports, command: both('first') }),
      await harness.run<Attached>(cluster, { ports, command: both('second') }),
    ];
    expect(new Set(servers.map(({ nodeId }) => nodeId)).size).toBe(2);
    const all = await harness.api.list<Addressed>(`/v1/clusters/${cluster}/nodes?limit=10`);
    const pages = ['first\n', 'second\n'];
    for (const [i, { nodeId, ports: given }] of servers.entries())
      for (const { hostPort } of given) {
        const address = all.find(({ id }) => id === nodeId)?.addresses[0];
        const page = await eventually(async () => (await fetch(`http://${address}:${hostPort}/`)).text(), {
          timeoutMs: 30_000,
          everyMs: 100,
          what: `an answer at ${address}:${hostPort}`,
        });
        expect(page).toBe(pages[i]);
      }
    expect(new Set(servers.map(({ ports: given }) => given[0]?.hostPort))).toEqual(new Set([8080]));
    for (const container of servers) await harness.removeContainer(container);
  });

  it('a container whose health check begins to fail is shown as unhealthy, and healthy again', async () => {
    const volumes = [{ name: 'ward', driver: 'shared', mountPath: '/x', reclaimPolicy: 'delete' }];
    const healthCheck = { command: ['test', '!', '-e', '/x/ill'], intervalSeconds: 1, timeoutSeconds: 5, retries: 2 };
    const checked = await harness.run(cluster, { healthCheck, volumes });
    const path = `/v1/containers/${checked.id}`;
    const isShown = (health: string) =>
      eventually(async () => (await harness.api.read<ContainerView>(path)).health === health, {
        timeoutMs: 120_000,
        everyMs: 200,
        what: `the container is ${health}`,
      });
    await isShown('healthy');
    const [directory = ''] = await readdir(plugin.directory);
    const ill = join(plugin.directory, directory, 'ill');
    await writeFile(ill, '');
    await isShown('unhealthy');
    await rm(ill);
    await isShown('healthy');
    const events = await harness.api.list<{ type: string; data: { health?: string } }>(`${path}/events?limit=200`);
    const health = events.filter(({ type }) => type.includes('healthChanged')).map(({ data }) => data.health);
    expect(health).toEqual(['starting', 'healthy', 'unhealthy', 'healthy']);
    await harness.removeContainer(checked);
    await isGone('volumes', 'ward');
  });
});
