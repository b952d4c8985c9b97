import { aDriverContext } from '@stave/driver-sdk/testing';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadManifest, validateOptions } from '@stave/driver-sdk';
import { containerStats } from './container-stats.js';
import swarmDocker from './index.js';
import { demultiplex, LogFrames } from './logs.js';
import { nodePrivileges } from './node-container.js';
import { readSettings } from './settings.js';

const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

describe('The manifest', () => {
  it('is valid and refuses unknown options', async () => {
    const manifest = await loadManifest(join(__dirname, '..'));
    expect(validateOptions(manifest, { heartbeatSeconds: 2, insecureRegistries: ['r:5000'] })).toEqual([]);
    expect(validateOptions(manifest, { privileged: true })).toHaveLength(1);
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
    });
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

describe('nodePrivileges', () => {
  let directory: string;
  beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'status-'))));
  afterEach(() => rm(directory, { recursive: true }));

  it.each([
    ['000001ffffffffff', { Privileged: true }],
    ['000001fffeffffff', { CapAdd: ['ALL'], CapDrop: ['SYS_RESOURCE'] }],
  ])('returns privileges for the bounding set %s', async (bounding, expected) => {
    const file = join(directory, 'status');
    await writeFile(file, `Name:\tx\nCapBnd:\t${bounding}\n`);
    expect(await nodePrivileges(file)).toMatchObject(expected);
  });
});
