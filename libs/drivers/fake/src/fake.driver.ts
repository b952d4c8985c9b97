import type { Driver, DriverModule, DriverSettings } from '@stave/driver-sdk';
import { fakeApi } from './api.js';
import { attachmentOperations } from './attachment-operations.js';
import { clusterActions } from './cluster-actions.js';
import { clusterOperations } from './cluster-operations.js';
import { containerOperations } from './container-operations.js';
import { CloudSession } from './cloud-session.js';
import type { FakeCloud } from './cloud/fake-cloud.port.js';
import { deadlyCalls } from './deadly-calls.js';
import { fakeFlavors } from './flavors.js';
import { HttpCloud } from './http/http-cloud.js';
import { fakeMachines } from './machines.js';
import { containerUsages, fakeMonitor } from './monitor.js';
import { nodeOperations } from './node-operations.js';
import { fakeScale } from './scale.js';
import { openSharedCloud } from './shared-cloud.js';

/**
 * The module of the fake driver. Reads FAKE_CLOUD_URL, the address of a fake cloud in another process; without it the cloud runs in this
 * process and is durable in the data directory. Writes CONDUCTOR_ID and CONDUCTOR_SESSION into the journal.
 */
export const fakeDriverModule: DriverModule = {
  async open(settings) {
    const url = settings.env['FAKE_CLOUD_URL'];
    return fakeDriver(settings, url ? await HttpCloud.connect(url) : await openSharedCloud(settings.dataDir));
  },
};

/** Returns the driver of an open cloud. The driver closes the cloud when it is closed itself. */
export function fakeDriver(
  { installation, env }: Pick<DriverSettings, 'installation' | 'env'>,
  cloud: FakeCloud,
): Driver {
  const { CONDUCTOR_ID: conductor, CONDUCTOR_SESSION: session } = env;
  const access = { cloud, installation, conductor, session, deadly: deadlyCalls(env['FAKE_DEADLY_CALLS']) };
  return {
    cluster: { ...clusterOperations(access), ...(env['FAKE_CLUSTER_ACTIONS'] === 'true' && clusterActions(access)) },
    node: nodeOperations(access),
    containers: containerOperations(access),
    networks: attachmentOperations(access, 'network'),
    volumes: attachmentOperations(access, 'volume'),
    monitor: fakeMonitor(access),
    machines: fakeMachines(access),
    api: fakeApi(access),
    scale: fakeScale,
    ...fakeFlavors(env['FAKE_FLAVORS']),
    secret: async (_ctx, { name, options: { secrets } }) =>
      Array.isArray(secrets) && secrets.includes(name) ? `fake-secret-${name}` : undefined,
    containerUsage: ctx => containerUsages(access, ctx),
    ...(cloud.identity && { identity: () => cloud.identity?.() ?? Promise.resolve(undefined) }),
    list: (ctx, filter) => new CloudSession(access, ctx, 'list').list(filter?.clusterId),
    remove: (ctx, unit) => new CloudSession(access, ctx, 'remove').remove(unit.infrastructureId),
    close: () => cloud.close(),
  };
}
