import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver, Machine, MachineEngine, MachineLifecycle } from '@stave/driver-sdk';
import { aDriverContext, aNetworkSpec, describeOn, silentLogger } from '@stave/driver-sdk/testing';
import swarmDocker from './index.js';
import { ensureBusyboxImage } from './testing/busybox-image.js';
import { dockerMissing, hostSocket, TestMachines, type Reach, type TestMachine } from '@stave/docker/testing';
import { clusterSpec, containerSpec, managerSpec, nodeSpec } from './testing/real-engine.fixture.js';

jest.setTimeout(600_000);

describeOn(dockerMissing(), 'Machines of swarm_docker on real engines', () => {
  const ctx = aDriverContext();
  let machines: TestMachines;
  let driver: Driver;
  let dataDir = '';
  let made = 0;

  const open = (): Promise<Driver> =>
    swarmDocker.open({
      installation: dataDir,
      dataDir,
      env: { ...process.env, SWARM_DOCKER_RUN_DIR: dataDir, SECRETS_DIR: machines.secretsDir },
      log: silentLogger,
    });
  const lifecycle = (): MachineLifecycle => {
    if (!driver.machines) throw new Error('the driver takes no machines');
    return driver.machines;
  };
  const machine = (engine: MachineEngine, engineId?: string): Machine => ({
    id: `machine-${(made += 1)}`,
    engine,
    ...(engineId !== undefined && { engineId }),
  });
  const probe = (given: Machine) => lifecycle().probe(ctx, { ...given, generation: 1 });
  const clean = (given: Machine) => lifecycle().clean(ctx, { ...given, generation: 2 });
  /** Registers a machine as the service does. */
  const registered = async (one: TestMachine, how: Reach = 'unix') => {
    const given = machine(await machines.reach(one, how));
    const { engineId, contents } = await probe(given);
    return { given: { ...given, engineId }, contents };
  };

  beforeAll(async () => {
    machines = await TestMachines.open();
    dataDir = await mkdtemp(join(tmpdir(), 'sm-'));
    await ensureBusyboxImage(ctx, machines.host);
    driver = await open();
  });
  afterAll(async () => {
    for (const kind of ['container', 'node', 'cluster'])
      for (const unit of await driver.list(ctx)) if (unit.kind === kind) await driver.remove(ctx, unit);
    await driver.close();
    await machines.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('examines engines by socket, mutual TLS and ssh', async () => {
    const one = await machines.start('probed');
    const seen = await Promise.all(
      (['unix', 'tcp', 'ssh'] as const).map(async how => probe(machine(await machines.reach(one, how)))),
    );
    expect(new Set(seen.map(({ engineId }) => engineId)).size).toBe(1);
    for (const { capacity, contents } of seen) {
      expect(capacity.memoryMb).toBe(512);
      expect(capacity.cpus).toBeGreaterThan(0);
      expect(contents).toMatchObject({ containers: [], volumes: [], state: { swarm: 'inactive' } });
    }
    await machines.destroy(one);
  });

  it('says why an engine cannot be reached or cannot be a node, and never with a secret', async () => {
    const one = await machines.start('refused');
    const tcp = await machines.reach(one, 'tcp');
    const ssh = await machines.reach(one, 'ssh');
    const { url } = await machines.reach(one, 'unix');
    const problem = (engine: MachineEngine) =>
      probe(machine(engine)).then(
        () => undefined,
        ({ failure, code, message }: { failure: string; code: string; message: string }) => ({
          failure,
          code,
          message,
        }),
      );
    const unsuitable = { failure: 'permanent', code: 'engine-unsuitable' };
    const unreachable = { failure: 'transient', code: 'engine-unreachable' };
    expect(await problem({ url: tcp.url })).toMatchObject(unsuitable);
    expect(await problem({ url: url.replace(/\?.*/, '') })).toMatchObject(unsuitable);
    expect(await problem({ url: `${url}&other=1` })).toMatchObject(unsuitable);
    expect(await problem({ url: `unix:///absent.sock?advertise=10.0.0.1` })).toMatchObject(unreachable);
    expect(await problem({ ...tcp, secret: 'absent' })).toMatchObject(unreachable);
    expect(await problem({ url: `unix://${hostSocket}?advertise=10.0.0.1` })).toMatchObject(unsuitable);

    const at = (secret = '', file = '') => join(machines.secretsDir, 'machines', secret, file);
    const key = await readFile(at(tcp.secret, 'key.pem'), 'utf8');
    const other = await machines.reach({ ...one, name: 'stranger' }, 'tcp');
    await writeFile(at(other.secret, 'ca.pem'), await readFile(at(tcp.secret, 'cert.pem')));
    const untrusted = await problem({ ...tcp, secret: other.secret ?? '' });
    expect(untrusted).toMatchObject(unreachable);
    // the files are read again for each connection
    await writeFile(at(other.secret, 'ca.pem'), await readFile(at(tcp.secret, 'ca.pem')));
    expect(await problem({ ...tcp, secret: other.secret ?? '' })).toBeUndefined();

    expect(await problem(ssh)).toBeUndefined();
    const known = await readFile(at(ssh.secret, 'known_hosts'), 'utf8');
    await writeFile(at(ssh.secret, 'known_hosts'), known.replace(/ssh-ed25519 .*/, strangeKey));
    const wrongHost = await problem(ssh);
    expect(wrongHost).toMatchObject(unreachable);
    expect(wrongHost?.message).toMatch(/host key/i);
    await writeFile(at(ssh.secret, 'known_hosts'), '');
    expect((await problem(ssh))?.message).toMatch(/host key/i);
    const secrets = key.split('\n').filter(line => line.length > 20);
    for (const line of secrets) expect(JSON.stringify([untrusted, wrongHost])).not.toContain(line);

    await one.engine.change(ctx, 'POST', '/swarm/init', {
      body: { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: one.address },
    });
    expect(await problem(tcp)).toMatchObject({ ...unsuitable, message: expect.stringContaining('Swarm') });
    await machines.destroy(one);
  });

  it('makes a Swarm of three machines, runs containers on them, and gives them back as they were', async () => {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(name => machines.start(name)));
    if (!a || !b || !c) throw new Error('three machines were started');
    await a.engine.createVolume(ctx, 'precious', { owner: 'operator' });
    const given = await Promise.all([registered(a, 'tcp'), registered(b, 'ssh'), registered(c, 'unix')]);
    const cluster = clusterSpec({ id: 'spread' });
    await driver.cluster.create(ctx, cluster);
    const specs = [managerSpec('spread-m'), nodeSpec('spread-w1'), nodeSpec('spread-w2')].map((spec, i) => {
      const on = given[i]?.given;
      if (!on) throw new Error('no machine');
      return { ...spec, cluster, machine: on };
    });
    const results = await Promise.all(specs.map(spec => driver.node.create(ctx, spec)));
    expect(results.map(({ addresses }) => addresses)).toEqual([[a.address], [b.address], [c.address]]);
    expect(results[0]?.capacity).toMatchObject({ memoryMb: 512 });
    const members = await a.engine.read<{ Status: { State: string; Addr: string } }[]>(ctx, '/nodes');
    expect(members.map(({ Status }) => [Status.State, Status.Addr]).sort()).toEqual(
      [a, b, c].map(one => ['ready', one.address]).sort(),
    );
    const network = aNetworkSpec({
      id: 'net',
      clusterId: 'spread',
      driver: 'overlay',
      scope: 'cluster',
      subnet: '10.77.0.0/24',
    });
    await driver.networks?.create(ctx, network);
    for (const [i, spec] of specs.entries()) {
      const command = i === 0 ? ['nc', '-ll', '-p', '80', '-e', 'echo', 'hello'] : ['sleep', '1000'];
      const on = { name: 'net', networkId: 'net', driver: 'overlay' };
      await driver.containers?.create(
        ctx,
        containerSpec(`box-${i}`, spec.id, { clusterId: 'spread', command, network: on }),
      );
    }
    const units = await driver.list(ctx, { clusterId: 'spread' });
    expect(units.filter(({ kind }) => kind === 'node').map(({ state }) => state)).toEqual([
      'running',
      'running',
      'running',
    ]);
    expect(units.filter(({ kind, state }) => kind === 'container' && state === 'running')).toHaveLength(3);
    expect(units.filter(({ kind }) => kind === 'network')).toHaveLength(1);
    expect(await driver.monitor?.usage(ctx)).toHaveLength(3);

    for (const spec of [...specs].reverse()) {
      const { id, generation, machine: on } = spec;
      await driver.node.delete(ctx, { id, clusterId: 'spread', generation, options: {}, machine: on });
    }
    await driver.cluster.delete(ctx, { id: 'spread', clusterId: 'spread', generation: 1, options: {} });
    for (const { given: on, contents } of given) expect(await clean(on)).toEqual(contents);
    expect(given[0]?.contents.volumes).toEqual(['precious']);
    expect(await driver.list(ctx, { clusterId: 'spread' })).toEqual([]);
    await Promise.all([a, b, c].map(one => machines.destroy(one)));
  });
});

const strangeKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEPWvpVGsyGcC1vYw2pM3pQ7Yx0C5p9VQmXn3pU0dXoG';
