import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterSpec, ContainerSpec, DriverModule, NetworkSpec, NodeSpec, VolumeSpec } from '../../driver.js';
import { silentLogger } from '../silent-logger.js';
import { aClusterSpec, aContainerSpec, aNetworkSpec, aNodeSpec, aVolumeSpec } from '../spec-builders.js';
import type { DriverFixture, OperationExample } from './driver-fixture.js';

const CONFORMANCE_FILE = 'driver.conformance.json';

/** The content of `driver.conformance.json`: members of the specifications that the driver needs. */
interface ConformanceSettings {
  readonly slow?: boolean;
  readonly cluster?: Partial<ClusterSpec>;
  readonly node?: Partial<NodeSpec>;
  readonly container?: Partial<ContainerSpec>;
  readonly network?: Partial<NetworkSpec>;
  readonly volume?: Partial<VolumeSpec>;
  readonly operations?: Readonly<Record<string, OperationExample>>;
}

/**
 * Builds the fixture of a driver directory: a new installation, a new data directory, and specifications with the members of the
 * directory's `driver.conformance.json`. Throws when that file is not JSON.
 */
export function fixtureIn(
  directory: string,
  module: DriverModule,
  env: Readonly<Record<string, string | undefined>> = {},
): DriverFixture {
  const { slow = false, cluster, node, container, network, volume, operations = {} } = settingsIn(directory);
  const installation = randomUUID();
  let dataDir: Promise<string> | undefined;
  const newDirectory = (): Promise<string> => (dataDir ??= mkdtemp(join(tmpdir(), 'stave-conformance-')));
  return {
    slow,
    operations,
    open: async () => module.open({ installation, dataDir: await newDirectory(), env, log: silentLogger }),
    clusterSpec: () => aClusterSpec(cluster),
    nodeSpec: overrides => aNodeSpec({ ...node, ...overrides }),
    containerSpec: overrides => aContainerSpec({ ...container, ...overrides }),
    networkSpec: overrides => aNetworkSpec({ ...network, ...overrides }),
    volumeSpec: overrides => aVolumeSpec({ ...volume, ...overrides }),
    cleanup: async () => {
      if (dataDir) await rm(await dataDir, { recursive: true, force: true });
    },
  };
}

function settingsIn(directory: string): ConformanceSettings {
  const file = join(directory, CONFORMANCE_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
