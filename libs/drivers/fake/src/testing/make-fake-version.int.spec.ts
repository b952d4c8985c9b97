import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canOperate, loadDrivers } from '@stave/driver-sdk';
import { makeFakeVersion } from './make-fake-version.js';
import { aDriverContext, aNodeSpec, silentLogger } from '@stave/driver-sdk/testing';

describe('A version of the fake driver', () => {
  let root = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'stave-fake-versions-'));
    await makeFakeVersion(join(root, 'fake_v1'), '1.1.0', '1.0.0');
    await makeFakeVersion(join(root, 'fake_v2'), '2.0.0', '2.0.0');
  });
  afterAll(() => rm(root, { recursive: true }));

  it('a version of the fake driver loads beside the original driver and shares its cloud', async () => {
    const directories = [join(__dirname, '..', '..'), root];
    const { drivers, refused } = await loadDrivers({ directories, log: silentLogger });
    expect(refused).toEqual([]);
    expect(drivers.map(({ manifest }) => manifest.version)).toEqual(['1.0.0', '1.1.0', '2.0.0']);
    expect(drivers.map(({ manifest }) => canOperate(manifest, '1.0.0'))).toEqual([true, true, false]);

    const settings = { installation: 'i1', dataDir: join(root, 'data'), env: {}, log: silentLogger };
    const open = await Promise.all(drivers.map(({ module }) => module.open(settings)));
    const results = await Promise.all(open.map(driver => driver.node.create(aDriverContext(), node)));
    expect(new Set(results.map(result => result.infrastructureId)).size).toBe(1);
    await Promise.all(open.map(driver => driver.close()));
  });

  const node = aNodeSpec();
});
