import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerSpec, Driver } from '@stave/driver-sdk';
import {
  aClusterSpec,
  aContainerSpec,
  aDriverContext,
  aNetworkSpec,
  aNodeSpec,
  aVolumeSpec,
  referenceTo,
} from '@stave/driver-sdk/testing';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { fakeDriver } from './fake.driver.js';

const options = { volumeDrivers: { local: 'node', shared: 'cluster' } };
const cluster = aClusterSpec({ id: 'c1', options });

describe('Networks, volumes and ports of the fake cloud', () => {
  let dataDir = '';
  let driver: Driver;
  const open = async () => {
    driver = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir));
  };
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
    await open();
    for (const id of ['n1', 'n2']) await driver.node.create(aDriverContext(), aNodeSpec({ id, cluster }));
  });
  afterEach(async () => {
    await driver.close();
    await rm(dataDir, { recursive: true });
  });

  const created = async (nodeId: string, more: Partial<ContainerSpec>) => {
    const spec = aContainerSpec({ clusterId: 'c1', nodeId, ...more });
    const result = await driver.containers!.create(aDriverContext(), spec);
    return { spec, address: result.address };
  };

  it('gives each container an address of the subnet, refuses a double one, and remembers them across a restart', async () => {
    const spec = aNetworkSpec({ clusterId: 'c1', options, subnet: '10.9.0.0/29' });
    await driver.networks!.create(aDriverContext(), spec);
    const network = { name: spec.name, networkId: spec.id };
    const first = await created('n1', { network });
    await driver.close();
    await open();
    const second = await created('n2', { network });
    expect([first.address, second.address]).toEqual(['10.9.0.2', '10.9.0.3']);
    const double = created('n2', { network: { ...network, ipv4: '10.9.0.3' } });
    await expect(double).rejects.toMatchObject({ failure: 'capacity' });
    for (let left = 0; left < 3; left += 1) await created('n1', { network });
    await expect(created('n1', { network })).rejects.toMatchObject({ failure: 'capacity' });
    await driver.containers!.delete(aDriverContext(), referenceTo(second.spec));
    expect((await created('n1', { network: { ...network, ipv4: '10.9.0.3' } })).address).toBe('10.9.0.3');
  });

  it('refuses a port of a node that is taken, and accepts it on another node', async () => {
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    await created('n1', { ports });
    await expect(created('n1', { ports })).rejects.toMatchObject({ failure: 'capacity' });
    await created('n2', { ports });
    await created('n1', { ports: [{ containerPort: 80, hostPort: 8080, protocol: 'udp' }] });
  });

  it('refuses a container on a second node for an exclusive volume', async () => {
    const spec = aVolumeSpec({ clusterId: 'c1', options, driver: 'shared', accessMode: 'exclusive' });
    await driver.volumes!.create(aDriverContext(), spec);
    const volumes = [{ name: spec.name, volumeId: spec.id, mountPath: '/data' }];
    const first = await created('n1', { volumes });
    await created('n1', { volumes });
    await expect(created('n2', { volumes })).rejects.toMatchObject({ failure: 'conflict' });
    expect(first.address).toMatch(/^10\./);
  });

  it('refuses a container whose network driver its node does not have, by the options of the node group', async () => {
    await driver.node.create(aDriverContext(), aNodeSpec({ id: 'n3', cluster, options: { networkDrivers: {} } }));
    const spec = aNetworkSpec({ clusterId: 'c1', options });
    await driver.networks!.create(aDriverContext(), spec);
    const network = { name: spec.name, networkId: spec.id };
    await expect(created('n3', { network })).rejects.toMatchObject({
      failure: 'permanent',
      code: 'plugin-missing',
      plugin: spec.driver,
    });
    await created('n1', { network });
  });
});
