import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterSpec, ContainerSpec, DriverLogger, DriverModule, NodeSpec } from '../driver.js';
import type { DriverFixture } from './driver-fixture.js';

export const CONFORMANCE_FILE = 'driver.conformance.json';

/** What a driver directory may say of itself in `driver.conformance.json`: members of the specs that the kit works with. */
export interface ConformanceSettings {
  readonly slow?: boolean;
  readonly cluster?: Partial<ClusterSpec>;
  readonly node?: Partial<NodeSpec>;
  readonly container?: Partial<ContainerSpec>;
}

const silent: DriverLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * The fixture of a driver directory: an installation and a data directory of its own, plain specs, and in them what the
 * directory's `driver.conformance.json` says. Throws for a file that is not JSON.
 */
export function fixtureIn(
  directory: string,
  module: DriverModule,
  env: Readonly<Record<string, string | undefined>> = {},
): DriverFixture {
  const { slow = false, cluster, node, container } = settingsIn(directory);
  const installation = randomUUID();
  let dataDir: Promise<string> | undefined;
  const ownDirectory = (): Promise<string> => (dataDir ??= mkdtemp(join(tmpdir(), 'stave-conformance-')));
  return {
    slow,
    open: async () => module.open({ installation, dataDir: await ownDirectory(), env, log: silent }),
    clusterSpec: () => ({ ...plainCluster(), ...cluster }),
    nodeSpec: overrides => ({ ...plainNode(overrides.cluster), ...node, ...overrides }),
    containerSpec: overrides => ({ ...plainContainer(overrides), ...container, ...overrides }),
    cleanup: async () => {
      if (dataDir) await rm(await dataDir, { recursive: true, force: true });
    },
  };
}

function settingsIn(directory: string): ConformanceSettings {
  const file = join(directory, CONFORMANCE_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

const plainCluster = (): ClusterSpec => ({
  id: randomUUID(),
  name: 'conformance',
  projectId: 'conformance',
  generation: 1,
  network: {},
  api: {},
  labels: {},
  options: {},
});

const plainNode = (cluster: ClusterSpec): NodeSpec => ({
  id: randomUUID(),
  name: 'conformance-node',
  ordinal: 0,
  generation: 1,
  cluster,
  nodeGroup: { id: cluster.id, name: 'nodes' },
  role: 'worker',
  flavor: { cpus: 1, memoryMb: 512 },
  labels: {},
  taints: [],
  options: {},
});

const plainContainer = (on: Pick<ContainerSpec, 'clusterId' | 'nodeId'>): ContainerSpec => ({
  id: randomUUID(),
  name: 'conformance-container',
  generation: 1,
  image: 'busybox',
  env: {},
  resources: {},
  volumes: [],
  ports: [],
  restartPolicy: 'no',
  labels: {},
  ...on,
});

function nothing(): void {}
