import { aDriverContext } from '@stave/driver-sdk/testing';
import { join, resolve } from 'node:path';
import { containerProblems, loadManifest, validateOptions, type ContainerSpec } from '@stave/driver-sdk';
import { containerStats, demultiplex, LogFrames } from '@stave/docker';
import swarmDocker from './index.js';
import { restrictionsOf } from './container-rules.js';
import { nodeContainerRequest } from './template-definition.js';
import { nodeSpec } from './testing/real-engine.fixture.js';
import { readSettings } from './settings.js';

const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

describe('The manifest', () => {
  it('the manifest is valid and refuses unknown options', async () => {
    const manifest = await loadManifest(join(__dirname, '..'));
    expect(validateOptions(manifest, { heartbeatSeconds: 2, insecureRegistries: ['r:5000'] })).toEqual([]);
    expect(validateOptions(manifest, { privileged: true })).toHaveLength(1);
  });

  it('names what cannot change with nodes, and the options that node groups do not have', async () => {
    const { fixedAttributes, options } = await loadManifest(join(__dirname, '..'));
    expect(fixedAttributes).toEqual(['network.cidr']);
    const properties = Object.entries(options['properties'] as Readonly<Record<string, Record<string, unknown>>>);
    expect(properties.flatMap(([name, schema]) => (schema['x-stave-scope'] === 'cluster' ? [name] : []))).toEqual([
      'heartbeatSeconds',
      'plugins',
    ]);
  });
});

describe('demultiplex', () => {
  it('keeps the order of both streams, and decodes an incomplete frame as far as possible', () => {
    const cut = frame(1, 'three').subarray(0, 10);
    expect(demultiplex(Buffer.concat([frame(1, 'one\n'), frame(2, 'zwei ü\n'), cut]))).toBe('one\nzwei ü\nth');
    expect(demultiplex(Buffer.alloc(0))).toBe('');
  });
});

describe('LogFrames', () => {
  it('returns the text of each frame when it is complete, wherever the bytes are split', () => {
    const [ue, a, b] = [Buffer.from('ü'), frame(1, 'one\n'), frame(2, 'two\n')];
    const half = (at: number) => Buffer.concat([frame(1, ' ').subarray(0, 8), ue.subarray(at, at + 1)]);
    const bytes = Buffer.concat([a, half(0), b, half(1)]);
    for (let size = 1; size <= bytes.length; size++) {
      const frames = new LogFrames();
      let text = '';
      for (let at = 0; at < bytes.length; at += size) text += frames.push(bytes.subarray(at, at + size));
      expect(text).toBe('one\ntwo\nü');
    }
  });
});

describe('containerStats', () => {
  const sample = (read: string, preread: string, total: number, before: number) => ({
    read,
    preread,
    cpu_stats: { cpu_usage: { total_usage: total } },
    precpu_stats: { cpu_usage: { total_usage: before } },
    memory_stats: { usage: 3 * 2 ** 20 },
  });

  it('divides CPU time by the time between the samples', () => {
    const at = '2024-01-01T00:00:02Z';
    expect(containerStats(sample(at, '2024-01-01T00:00:00Z', 15e8, 5e8))).toEqual({ cpuCores: 0.5, memoryMb: 3, at });
  });

  it('returns undefined for a container that does not run, which the engine reports with zeros', () => {
    const never = '0001-01-01T00:00:00Z';
    expect(containerStats(sample(never, never, 0, 0))).toBeUndefined();
  });

  it('returns no CPU use without an earlier sample', () => {
    const at = '2024-01-01T00:00:02Z';
    expect(containerStats(sample(at, '0001-01-01T00:00:00Z', 15e8, 0))?.cpuCores).toBe(0);
  });
});

describe('readSettings', () => {
  const { log } = aDriverContext();
  const read = (env: Record<string, string>) =>
    readSettings({ installation: 'i', dataDir: '/var/lib/stave', env, log });

  it('returns defaults for an empty environment', () => {
    expect(read({})).toEqual({
      installation: 'i',
      hostSocket: '/var/run/docker.sock',
      runDir: '/var/lib/stave/run',
      nodeImage: 'stave/swarm-node:1',
      plugins: [],
    });
  });

  it('returns an absolute directory for sockets when the data directory is relative', () => {
    expect(readSettings({ installation: 'i', dataDir: './data', env: {}, log }).runDir).toBe(resolve('data', 'run'));
  });

  it.each([
    [{ DOCKER_HOST: 'tcp://10.0.0.1:2376' }, 'DOCKER_HOST'],
    [{ SWARM_DOCKER_RUN_DIR: 'run' }, 'SWARM_DOCKER_RUN_DIR'],
    [{ SWARM_DOCKER_RUN_DIR: `/${'x'.repeat(90)}` }, 'SWARM_DOCKER_RUN_DIR'],
  ])('refuses the environment %j', (env, name) => expect(() => read(env)).toThrow(name));

  it('open throws a DriverError when no engine answers', async () => {
    const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    await expect(swarmDocker.open({ installation: 'i', dataDir: '/tmp', env, log })).rejects.toMatchObject({
      name: 'DriverError',
      failure: 'transient',
    });
  });
});

describe('nodeContainerRequest', () => {
  const { HostConfig } = nodeContainerRequest(nodeSpec('n1'), {
    image: 'i',
    networkId: 'net',
    address: '10.0.0.2',
    socket: '/run/x/d.sock',
    plugins: [],
    labels: {},
  }) as { readonly HostConfig: Readonly<Record<string, unknown>> };

  it('gives a node two capabilities of the host and none of its devices', () => {
    expect(HostConfig['CapAdd']).toEqual(['SYS_ADMIN', 'NET_ADMIN']);
    for (const member of ['Privileged', 'Devices', 'DeviceCgroupRules', 'PidMode', 'IpcMode', 'UTSMode'])
      expect(HostConfig).not.toHaveProperty(member);
  });

  it('shows a node one directory of the host, that of its own socket', () => {
    const mounts = HostConfig['Mounts'] as readonly { readonly Type: string; readonly Source?: string }[];
    expect(mounts.filter(({ Type }) => Type === 'bind').map(({ Source }) => Source)).toEqual(['/run/x']);
    expect(HostConfig).not.toHaveProperty('Binds');
  });
});

describe('restrictionsOf', () => {
  it('allows the image that the driver builds or that the operator configured, and those of the list', () => {
    expect(restrictionsOf({}).nodeImages).toEqual(['stave/swarm-node:1']);
    const env = { SWARM_DOCKER_NODE_IMAGE: 'own:1', NODE_IMAGES_ALLOWED: ' own:2,,own:3' };
    expect(restrictionsOf(env).nodeImages).toEqual(['own:1', 'own:2', 'own:3']);
  });

  const problems = (volume: Partial<ContainerSpec['volumes'][number]>, allow?: string) =>
    containerProblems(restrictionsOf({ SWARM_DOCKER_ALLOW: allow }).containers, {
      volumes: [{ name: 'v', mountPath: '/v', ...volume }],
    }).map(({ pointer }) => pointer.replace('/volumes/0/', ''));

  it.each([
    [{ type: 'none', o: 'bind', device: '/' }, ['options/type', 'options/o', 'options/device']],
    [{ type: 'none', o: 'rbind', device: '/stave' }, ['options/type', 'options/o', 'options/device']],
    [{ type: 'ext4', device: '/dev/vda' }, ['options/type', 'options/device']],
    [{ type: 'nfs', o: 'addr=10.0.0.1', device: ':/' }, ['options/type', 'options/o', 'options/device']],
    [{ type: 'tmpfs', device: 'tmpfs', o: 'size=10m,bind' }, ['options/o']],
    [{ type: 'tmpfs', device: 'tmpfs', o: 'size=10m,uid=1000' }, []],
    [{}, []],
  ])('a volume with the options %j is refused at %j', (options, pointers) => {
    expect(problems({ options })).toEqual(pointers);
  });

  it('allows the names of SWARM_DOCKER_ALLOW with any value', () => {
    expect(problems({ options: { type: 'none', o: 'bind', device: '/srv' } }, 'type, o,device')).toEqual([]);
    expect(problems({ driver: 'plugin' }, 'plugin')).toEqual([]);
  });
});
