import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bootstrapNode, type SwarmNodeDescription } from '@stave/bootstrap';
import { dockerMissing } from '@stave/docker/testing';
import { describeOn, eventually } from '@stave/testing';
import { BootstrapMachine, makeMachineImage, removeMachineImage } from './bootstrap-machine.js';

const withinMs = 240_000;
const patience = { timeoutMs: 120_000 };

const node = (
  hostname: string,
): Pick<SwarmNodeDescription, 'engine' | 'os' | 'hostname' | 'software' | 'readiness' | 'readyTimeoutSeconds'> => ({
  engine: 'swarm',
  os: 'debian',
  hostname,
  software: { kind: 'installed' },
  readiness: { kind: 'file' },
  readyTimeoutSeconds: 90,
});

/** Returns the version of this machine's engine without the revision of the distribution. */
async function installedEngine(): Promise<string> {
  const query = ['--show', '--showformat', '${Version}', 'docker.io'];
  return (await promisify(execFile)('dpkg-query', query)).stdout.replace(/-[^-]*$/, '');
}

describeOn(dockerMissing(), 'the scripts of a Swarm on machines with real engines', () => {
  const machines: BootstrapMachine[] = [];
  let manager: BootstrapMachine;
  let worker: BootstrapMachine;
  let token: string;

  const start = async (description: SwarmNodeDescription): Promise<BootstrapMachine> => {
    const machine = await BootstrapMachine.start(description.hostname);
    machines.push(machine);
    await machine.write(bootstrapNode(description).files);
    return machine;
  };
  const members = async (): Promise<string[]> =>
    (await manager.exec('docker', 'node', 'ls', '--format', '{{.Hostname}} {{.Status}} {{.Availability}}'))
      .split('\n')
      .sort();
  const idOf = (machine: BootstrapMachine): Promise<string> =>
    machine.exec('docker', 'info', '--format', '{{.Swarm.NodeID}}');
  const lib = '/usr/local/lib/stave';

  beforeAll(makeMachineImage, withinMs);
  afterAll(async () => {
    for (const machine of machines) await machine.remove();
    await removeMachineImage();
  }, withinMs);

  it(
    'the first manager initializes the Swarm with its settings',
    async () => {
      const settings = { addressPools: ['10.150.0.0/16'], subnetPrefix: 26, certificateHours: 48, heartbeatSeconds: 1 };
      const engineLabels = { zone: "it's $HOME", 'stave.node': 'n1' };
      const engineVersion = await installedEngine();
      const software = { kind: 'packages' } as const;
      manager = await start({ ...node('m1'), role: 'first-manager', software, engineVersion, settings, engineLabels });
      await manager.bootstrap();
      expect(await manager.exec('cat', '/var/lib/stave/outcome')).toBe('ready');
      expect(await manager.exec('apt-mark', 'showhold')).toBe('docker.io');
      const swarm = JSON.parse(await manager.exec('docker', 'info', '--format', '{{json .Swarm.Cluster}}')) as object;
      expect(swarm).toMatchObject({
        DefaultAddrPool: ['10.150.0.0/16'],
        SubnetSize: 26,
        Spec: { CAConfig: { NodeCertExpiry: 172_800_000_000_000 }, Dispatcher: { HeartbeatPeriod: 1_000_000_000 } },
      });
      const labels = await manager.exec('docker', 'info', '--format', '{{json .Labels}}');
      // the engine lists them in any order
      expect((JSON.parse(labels) as string[]).sort()).toEqual(['stave.node=n1', "zone=it's $HOME"]);
    },
    withinMs,
  );

  it(
    'a worker joins with a token that no output shows, and that its machine forgets',
    async () => {
      token = await manager.exec('docker', 'swarm', 'join-token', '--quiet', 'worker');
      const managers = [`${await manager.exec('docker', 'info', '--format', '{{.Swarm.NodeAddr}}')}:2377`];
      worker = await start({ ...node('w1'), role: 'worker', join: { managers, token } });
      const output = await worker.bootstrap();
      expect(output).not.toContain(token);
      await eventually(async () => (await members()).join() === 'm1 Ready Active,w1 Ready Active', patience);
      expect(await worker.exec('ls', '/etc/stave')).toBe('');
    },
    withinMs,
  );

  it(
    'nothing changes when the steps run again, and a killed engine is a member again',
    async () => {
      const before = [await idOf(manager), await idOf(worker)];
      await manager.bootstrap();
      await worker.killEngine();
      await worker.bootstrap();
      expect([await idOf(manager), await idOf(worker)]).toEqual(before);
      await eventually(async () => (await members()).join() === 'm1 Ready Active,w1 Ready Active', patience);
    },
    withinMs,
  );

  it(
    'a token that was rotated admits no one',
    async () => {
      await manager.exec(`${lib}/rotate-join-token`, 'worker');
      const current = await manager.exec('docker', 'swarm', 'join-token', '--quiet', 'worker');
      expect(current).not.toBe(token);
    },
    withinMs,
  );

  it(
    'a node is drained and leaves, and may leave again',
    async () => {
      await manager.exec(`${lib}/drain`, 'w1');
      expect(await members()).toContain('w1 Ready Drain');
      await worker.exec(`${lib}/leave`);
      await worker.exec(`${lib}/leave`);
      expect(await worker.exec('docker', 'info', '--format', '{{.Swarm.LocalNodeState}}')).toBe('inactive');
      await eventually(async () => (await members()).includes('w1 Down Drain'), patience);
    },
    withinMs,
  );
});
