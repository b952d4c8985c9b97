import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import type { ContainerSpec, Driver } from '@stave/driver-sdk';
import { demultiplex, DockerEngine, pollUntil } from '@stave/docker';
import swarmDocker from './index.js';
import { Inventory, type NodeContainer } from './inventory.js';
import { hostSocket } from '@stave/docker/testing';
import { clusterSpec, containerSpec, describeOnEngine, managerSpec, ref } from './testing/real-engine.fixture.js';

/** Prints the sockets of all directories, and those in the directories that processes of a mounted /proc refer to. */
const search = `find / -type s 2>/dev/null
for place in /x/[0-9]*/cwd /x/[0-9]*/root/stave /x/[0-9]*/root/run/docker /x/[0-9]*/fd/*; do
  find "$place/" -maxdepth 3 -type s 2>/dev/null
done
echo searched`;

/** Prints what answers as a Docker Engine at the gateway of the container and at these addresses, on the ports that engines use. */
const knock = (addresses: readonly string[]) => `
for at in $(ip route | awk '/^default/ { print $3 }') ${addresses.join(' ')}; do
  for port in 2375 2376 4243; do
    printf 'GET /_ping HTTP/1.0\\r\\n\\r\\n' | nc -w 1 $at $port 2>/dev/null | grep -i docker
  done
done
true`;

let volumes = 0;
const volume = (options?: Record<string, string>): Partial<ContainerSpec> => ({
  volumes: [{ name: `mounted-${(volumes += 1)}`, mountPath: '/x', options }],
});
const bound = (device: string) => volume({ type: 'none', o: 'bind', device });
const layered = (lower: string) => volume({ type: 'overlay', o: `lowerdir=${lower}:/etc`, device: 'overlay' });

describeOnEngine('The sockets of a node', engine => {
  const ctx = aDriverContext();
  const host = new DockerEngine(hostSocket);
  let generous: Driver;

  const node = async (): Promise<NodeContainer> => {
    const [found] = await new Inventory(host, engine().installation).nodes(ctx, { nodeId: 'm1' });
    if (!found) throw new Error('the node does not exist');
    return found;
  };

  /** Runs a command in the node, as root with all its capabilities. */
  async function inNode(script: string): Promise<string> {
    const path = `/containers/${(await node()).containerId}/exec`;
    const body = { AttachStdout: true, AttachStderr: true, Cmd: ['sh', '-c', script] };
    const { Id } = await host.change<{ Id: string }>(ctx, 'POST', path, { body });
    const start = { body: { Detach: false, Tty: false } };
    const printed = await host.change<string | undefined>(ctx, 'POST', `/exec/${Id}/start`, start);
    return demultiplex(Buffer.from(printed ?? ''));
  }

  /** Runs a script in a container that asks for this, and returns what it printed; undefined when the engine refuses to start it. */
  async function attack(driver: Driver, asked: Partial<ContainerSpec>, script: string): Promise<string | undefined> {
    const spec = containerSpec('attacker', 'm1', { ...asked, command: ['sh', '-c', script], restartPolicy: 'no' });
    const at = { ...ref('attacker'), nodeId: 'm1' };
    try {
      const started = await driver.containers?.create(ctx, spec).catch((error: Error) => error);
      if (started instanceof Error) {
        expect(started.message).toMatch(/failed to mount local volume|invalid argument|no such file/);
        return undefined;
      }
      await pollUntil(ctx, { what: 'end of the attack', withinMs: 60_000 }, async () => {
        const unit = (await driver.list(ctx)).find(one => one.resourceId === 'attacker');
        return unit?.state === 'stopped' ? true : undefined;
      });
      return await driver.containers?.logs(ctx, at, { tail: 1000 });
    } finally {
      await driver.containers?.delete(ctx, at);
    }
  }

  beforeAll(async () => {
    const { installation, runDir, driver } = engine();
    const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir, SWARM_DOCKER_ALLOW: 'type,o,device' };
    generous = await swarmDocker.open({ installation, dataDir: runDir, env, log: silentLogger });
    await driver.cluster.create(ctx, clusterSpec());
    await driver.node.create(ctx, managerSpec('m1'));
  });
  afterAll(() => generous.close());

  it.each<[string, Partial<ContainerSpec>]>([
    ['nothing', {}],
    ['a volume', volume()],
    ['a volume in memory', volume({ type: 'tmpfs', device: 'tmpfs', o: 'size=1m,mode=0777' })],
    ['a bridge', { network: { name: 'own', driver: 'bridge', options: { subnet: '10.210.0.0/24' } } }],
    ['an overlay network', { network: { name: 'wide', driver: 'overlay', options: { encrypted: 'true' } } }],
  ])('a container that asks for %s reaches no engine', async (_what, asked) => {
    const { address } = await node();
    const script = `${search}\n${knock([address, '172.17.0.1'])}`;
    expect(await attack(engine().driver, asked, script)).toBe('searched\n');
  });

  it.each([
    ['the root of the node', bound('/')],
    ['the directory where the engine listens', bound('/stave')],
    ['the socket itself', bound('/stave/d.sock')],
    ['the directories of running processes', bound('/proc')],
    ['the directory of the first process', bound('/proc/1/root/stave')],
    ['the directory of the process that helped the engine to listen', bound('/proc/self/cwd')],
    ['the directory for sockets of the parts of the engine', bound('/run')],
    ['the directory of containerd', bound('/run/docker/containerd')],
    ['a layer over the directory of containerd', layered('/run/docker/containerd')],
    ['the directory of the control socket of Swarm', bound('/var/run/docker/swarm')],
  ])('a container that mounts %s, which an operator allowed, finds no socket', async (_what, asked) => {
    expect((await attack(generous, asked, search)) ?? 'searched\n').toBe('searched\n');
  });

  it('the node itself has no path to its engine, also after a restart of the node', async () => {
    const { driver } = engine();
    for (const restart of [undefined, () => driver.node.hardReboot(ctx, ref('m1'))]) {
      await restart?.();
      expect(await inNode('grep -c " /stave " /proc/1/mountinfo; ls /stave')).toBe('0\n');
      expect(await inNode('find / -type s \\( -name d.sock -o -name docker.sock \\) 2>/dev/null')).toBe('');
      expect((await driver.node.inspect(ctx, ref('m1')))?.engineVersion).toEqual(expect.any(String));
    }
  });
});
