import type { Driver, DriverModule, DriverSettings } from '@stave/driver-sdk';
import { clusterOperations } from './cluster-operations.js';
import { containerOperations } from './container-operations.js';
import { CloudSession, type CloudAccess } from './cloud-session.js';
import type { FakeCloud } from './cloud/fake-cloud.port.js';
import { HttpCloud } from './http/http-cloud.js';
import { nodeOperations } from './node-operations.js';
import { nodeUsage } from './node-usage.js';
import { openSharedCloud } from './shared-cloud.js';

/**
 * The fake driver. Reads FAKE_CLOUD_URL (a fake cloud of its own process; without it the cloud is in this process, durable
 * under the data directory) and, for the journal, CONDUCTOR_ID and CONDUCTOR_SESSION.
 */
export const fakeDriverModule: DriverModule = {
  async open(settings) {
    return fakeDriver(settings, await openCloud(settings));
  },
};

/** The driver on a cloud that is open; closing the driver closes it. */
export function fakeDriver(settings: Pick<DriverSettings, 'installation' | 'env'>, cloud: FakeCloud): Driver {
  const { CONDUCTOR_ID: conductor, CONDUCTOR_SESSION: session } = settings.env;
  const access: CloudAccess = {
    cloud,
    installation: settings.installation,
    ...(conductor && { conductor }),
    ...(session && { session }),
  };
  return {
    cluster: clusterOperations(access),
    node: nodeOperations(access),
    containers: containerOperations(access),
    monitor: nodeUsage(access),
    list: (ctx, filter) => new CloudSession(access, ctx, 'list', {}).list(filter?.clusterId),
    remove: (ctx, unit) => new CloudSession(access, ctx, 'remove', {}).remove(unit.infrastructureId),
    close: () => cloud.close(),
  };
}

async function openCloud(settings: DriverSettings): Promise<FakeCloud> {
  const url = settings.env['FAKE_CLOUD_URL'];
  return url ? HttpCloud.connect(url) : openSharedCloud(settings.dataDir);
}
