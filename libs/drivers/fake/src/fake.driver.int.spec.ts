import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DriverScope } from '@stave/driver-sdk';
import { describeDriver, type DriverFixture } from '@stave/driver-sdk/testing';
import { fakeDriverModule } from './fake.driver.js';
import { serveFakeCloud, type FakeCloudServer } from './http/serve-fake-cloud.js';
import {
  aClusterSpec,
  aContainerSpec,
  aDriverContext,
  aNetworkSpec,
  aNodeSpec,
  aVolumeSpec,
  silentLogger,
} from '@stave/driver-sdk/testing';

function describeFake(name: string, served: boolean, options: Readonly<Record<string, unknown>>): void {
  let dataDir = '';
  let server: FakeCloudServer | undefined;
  const installation = randomUUID();
  describe(name, () => {
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
      if (served) server = await serveFakeCloud({ host: '127.0.0.1', port: 0, dataDir });
    });
    const place = { scope: (served ? 'cluster' : 'node') as DriverScope };
    const fixture: DriverFixture = {
      open: () =>
        fakeDriverModule.open({
          installation,
          dataDir,
          env: { FAKE_CLOUD_URL: server?.url, FAKE_FLAVORS: 'small=1:512' },
          log: silentLogger,
        }),
      clusterSpec: () => aClusterSpec({ options: { ...options, volumeDrivers: { local: 'node', shared: 'cluster' } } }),
      nodeSpec: aNodeSpec,
      containerSpec: aContainerSpec,
      networkSpec: given => aNetworkSpec({ ...place, driver: served ? 'overlay' : 'bridge', ...given }),
      volumeSpec: given => aVolumeSpec({ ...place, driver: served ? 'shared' : 'local', ...given }),
      machine: async () => ({ id: randomUUID(), engine: { url: `fake://${randomUUID()}` } }),
      loseCluster: async id => {
        const driver = await fixture.open();
        const units = await driver.list(aDriverContext(), { clusterId: id });
        for (const unit of units) if (unit.kind === 'cluster') await driver.remove(aDriverContext(), unit);
        await driver.close();
      },
      cleanup: async () => {
        await server?.close();
        await rm(dataDir, { recursive: true });
      },
    };
    describeDriver(name, fixture, { networks: true, volumes: true, nodeVolumes: true });
  });
}

describeFake('fake in process', false, {});
describeFake('fake in process, slow', false, { latencyMs: { min: 1, max: 5 } });
describeFake('fake over HTTP', true, {});
describeFake('fake over HTTP, slow', true, { latencyMs: { min: 1, max: 5 }, slowDeathMs: 2 });
