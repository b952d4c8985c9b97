import type { DriverManifest } from '../../driver.js';
import { missingOperations } from '../../manifest/operation-schemas.js';
import type { ConformanceScore } from './conformance-score.js';
import type { TestBed } from './test-bed.js';

/** The member of a driver that each capability promises. */
const members = {
  containers: 'containers',
  networks: 'networks',
  volumes: 'volumes',
  monitor: 'monitor',
  containerUsage: 'containerUsage',
  api: 'api',
  scale: 'scale',
  machines: 'machines',
} as const;

/** Checks the optional modules of a driver against its manifest. */
export function moduleChecks(manifest: DriverManifest, bed: () => TestBed, check: ConformanceScore['check']): void {
  const { capabilities } = manifest;
  check('has every module that its manifest declares', async () => {
    const declared = Object.entries(members).filter(([capability]) => capabilities.some(one => one === capability));
    expect(declared.filter(([, member]) => !bed().driver[member]).map(([capability]) => capability)).toEqual([]);
  });
  if (capabilities.includes('api'))
    check('has every operation that its manifest declares', async () => {
      expect(missingOperations(manifest, bed().driver)).toEqual([]);
    });
  if (capabilities.includes('monitor'))
    check('reports the utilisation of a running node', async () => {
      const usage = await bed().driver.monitor?.usage(bed().context());
      const own = usage?.find(({ nodeId }) => nodeId === bed().node.id);
      expect(own).toMatchObject({ cpuCores: expect.any(Number), memoryMb: expect.any(Number) });
    });
  if (manifest.namedFlavors)
    check('refuses flavors that its infrastructure does not have, where it knows any by name', async () => {
      const { driver, node } = bed();
      const asked = { name: 'no-such-flavor-of-stave', project: ['conformance'], options: node.options };
      if (driver.flavor)
        await expect(driver.flavor(bed().context(), asked)).rejects.toMatchObject({
          failure: 'permanent',
          code: 'flavor-unknown',
        });
    });
  if (capabilities.includes('scale'))
    check('answers which nodes go first with ids, the same to the same question', async () => {
      const { id, name, ordinal, labels, nodeGroup, cluster } = bed().node;
      const nodes = [{ id, name, ordinal, labels }];
      const asked = { clusterId: cluster.id, nodeGroup, options: cluster.options, count: 1, nodes };
      const order = await bed().driver.scale?.removalOrder(bed().context(), asked);
      expect(order?.every(one => typeof one === 'string')).toBe(true);
      expect(await bed().driver.scale?.removalOrder(bed().context(), asked)).toEqual(order);
    });
}
