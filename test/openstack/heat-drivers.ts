import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Driver, DriverModule, NodeSpec } from '@stave/driver-sdk';
import { aClusterSpec, aContainerSpec, aNodeSpec, silentLogger, type DriverFixture } from '@stave/driver-sdk/testing';
import type { OpenStackServer } from '@stave/testing';

/** The zones of the tests' OpenStack, by those of the conformance kit. */
const zones: Readonly<Record<string, string>> = { 'zone-a': 'az1', 'zone-b': 'az2' };

/** Opens a driver on the OpenStack of the tests, as `member` unless `env` names another user, for a new installation unless one is given. */
export async function openDriver(
  module: DriverModule,
  cloud: OpenStackServer,
  env: Readonly<Record<string, string>> = {},
  installation: string = randomUUID(),
): Promise<Driver> {
  const variables = { ...(await cloud.environment('member')), ...env };
  return module.open({ installation, dataDir: tmpdir(), env: variables, log: silentLogger });
}

/** Returns what the conformance kit needs to check a driver on Heat. */
export function heatFixture(module: DriverModule, cloud: () => OpenStackServer): DriverFixture {
  const installation = randomUUID();
  let nodes = 0;
  return {
    slow: true,
    open: () => openDriver(module, cloud(), {}, installation),
    clusterSpec: () => aClusterSpec(),
    nodeSpec: overrides => {
      nodes += 1;
      return aNodeSpec({ name: `node-${nodes}`, ...overrides, ...zoneIn(overrides) });
    },
    containerSpec: overrides => aContainerSpec(overrides),
    cleanup: async () => undefined,
  };
}

const zoneIn = ({ zone }: Partial<NodeSpec>): Partial<NodeSpec> =>
  zone === undefined ? {} : { zone: zones[zone] ?? zone };
