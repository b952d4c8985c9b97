import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterSpec, ContainerSpec, Driver, DriverContext, NodeSpec } from '@stave/driver-sdk';
import { EngineClient, withLabels } from './engine-client.js';
import type { ContainerSummary, NetworkSummary, VolumeSummary } from './engine-types.js';
import { ensureBusyboxImage } from './image.js';
import swarmDocker from './index.js';
import { label } from './labels.js';

export const hostSocket = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '');

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A context of a task that nobody stops, unless a part says otherwise. */
export function contextFor(part: Partial<DriverContext> = {}): DriverContext {
  return {
    signal: new AbortController().signal,
    log: silent,
    now: () => performance.now(),
    secrets: { get: async () => undefined, put: async () => undefined, delete: async () => undefined },
    progress: () => undefined,
    task: { taskId: 'task', attempt: 1, generation: 1 },
    checkpoint: () => undefined,
    ...part,
  };
}

export function clusterSpec(part: Partial<ClusterSpec> = {}): ClusterSpec {
  const id = 'cluster-1';
  return { id, name: 'demo', projectId: 'p', generation: 1, network: {}, api: {}, labels: {}, options: {}, ...part };
}

export function nodeSpec(id: string, part: Partial<NodeSpec> = {}): NodeSpec {
  return {
    id,
    name: id,
    ordinal: 1,
    generation: 1,
    cluster: clusterSpec(),
    nodeGroup: { id: 'group-w', name: 'workers' },
    role: 'worker',
    flavor: { name: 'small', cpus: 0.5, memoryMb: 384 },
    zone: 'az1',
    labels: {},
    taints: [],
    options: {},
    ...part,
  };
}

export function containerSpec(id: string, nodeId: string, part: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    id,
    name: id,
    generation: 1,
    clusterId: 'cluster-1',
    nodeId,
    image: 'stave/busybox:1',
    command: ['sleep', '1000'],
    env: {},
    resources: { cpus: 0.1, memoryMb: 32 },
    volumes: [],
    ports: [],
    restartPolicy: 'no',
    labels: {},
    ...part,
  };
}

/** A driver on the engine of this machine, with an installation and a run directory of its own. */
export class RealEngine {
  /** What the driver did without: a test that expects none asserts that it is empty. */
  readonly warnings: string[] = [];
  readonly ctx = contextFor({
    log: { ...silent, warn: (fields, message) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`) },
  });

  private constructor(
    readonly driver: Driver,
    readonly host: EngineClient,
    readonly installation: string,
    readonly runDir: string,
  ) {}

  static async open(): Promise<RealEngine> {
    const runDir = await mkdtemp(join(tmpdir(), 'stave-'));
    const installation = `test-${process.pid}-${runDir.slice(-6)}`;
    const driver = await openDriver(installation, runDir);
    const host = new EngineClient(hostSocket);
    await ensureBusyboxImage(contextFor(), host);
    return new RealEngine(driver, host, installation, runDir);
  }

  /** Another driver on the same installation, as after a restart. */
  reopen(): Promise<Driver> {
    return openDriver(this.installation, this.runDir);
  }

  /** Names of all that carries the installation's labels on the host's engine, and the entries of the run directory. */
  async leftovers(): Promise<string[]> {
    const query = { all: true, ...withLabels({ [label.installation]: this.installation }) };
    const [containers, networks, volumes, directories] = await Promise.all([
      this.host.read<ContainerSummary[]>(this.ctx, '/containers/json', { query }),
      this.host.read<NetworkSummary[]>(this.ctx, '/networks', { query }),
      this.host.read<{ Volumes: VolumeSummary[] | null }>(this.ctx, '/volumes', { query }),
      readdir(this.runDir),
    ]);
    const volumeNames = (volumes.Volumes ?? []).map(volume => volume.Name);
    return [
      ...containers.flatMap(one => one.Names),
      ...networks.map(one => one.Name),
      ...volumeNames,
      ...directories,
    ].sort();
  }

  /** Removes all units of the installation. */
  async clear(): Promise<void> {
    for (const kind of ['container', 'node', 'cluster']) {
      for (const unit of await this.driver.list(this.ctx))
        if (unit.kind === kind) await this.driver.remove(this.ctx, unit);
    }
  }

  /** Removes the node containers at once, without a handover among managers, and then all other units. */
  async discard(): Promise<void> {
    const query = { all: true, ...withLabels({ [label.installation]: this.installation }) };
    const containers = await this.host.read<ContainerSummary[]>(this.ctx, '/containers/json', { query });
    for (const { Id } of containers)
      await this.host.change(this.ctx, 'DELETE', `/containers/${Id}`, { query: { force: true, v: true } });
    await this.clear();
    this.warnings.length = 0;
  }

  async close(): Promise<void> {
    await this.discard();
    await this.driver.close();
    await rm(this.runDir, { recursive: true, force: true });
  }
}

function openDriver(installation: string, runDir: string): Promise<Driver> {
  const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir };
  return swarmDocker.open({ installation, dataDir: runDir, env, log: silent });
}

export interface EngineSuite {
  /** Whether an engine answers; the driver is open then. */
  readonly present: () => boolean;
  readonly engine: () => RealEngine;
  /** A test that skips itself, and says why, where there is no engine; in CI there must be one. */
  readonly onEngine: (name: string, test: () => Promise<void>) => void;
}

/** Opens the driver before the suite's tests, and clears up after them. */
export function engineSuite(): EngineSuite {
  let real: RealEngine | undefined;
  const absent = `no Docker Engine at ${hostSocket}; start one with scripts/start-docker.sh`;
  const engine = (): RealEngine => {
    if (!real) throw new Error(absent);
    return real;
  };
  beforeAll(async () => {
    if (existsSync(hostSocket)) real = await RealEngine.open();
  }, 60_000);
  afterAll(async () => real?.close(), 60_000);
  const runs = existsSync(hostSocket) || process.env['CI'] === 'true';
  if (!runs) process.stderr.write(`SKIPPED: ${absent}\n`);
  const test: EngineSuite['onEngine'] = (name, body) =>
    runs ? it(name, () => engine() && body(), 120_000) : it.skip(`${name} (SKIPPED: ${absent})`, body);
  return { present: () => real !== undefined, engine, onEngine: test };
}
