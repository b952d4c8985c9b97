import type { Scoring } from './scoring.js';
import { referenceTo } from './subject.js';
import type { TestBed } from './test-bed.js';

/** What is particular to clusters and nodes. */
export function nodeChecks(bed: () => TestBed, { check }: Pick<Scoring, 'check'>): void {
  check('runs nodes of two flavors and zones in one cluster', async () => {
    const small = bed().worker({ zone: 'zone-a' });
    const large = bed().worker({ zone: 'zone-b', flavor: { ...small.flavor, memoryMb: small.flavor.memoryMb * 2 } });
    const { context, driver } = parts();
    const results = [await driver.node.create(context(), small), await driver.node.create(context(), large)];
    const [ofSmall = 0, ofLarge = 0] = results.map(result => result.capacity.memoryMb);
    expect(ofSmall).toBeGreaterThan(0);
    expect(ofSmall).toBeLessThanOrEqual(small.flavor.memoryMb);
    expect(ofLarge).toBeGreaterThan(ofSmall);
    expect(ofLarge).toBeLessThanOrEqual(large.flavor.memoryMb);
    await driver.node.delete(context(), ref(small.id));
    expect(await bed().units('node', small.id)).toEqual([]);
    expect(await bed().units('node', large.id)).toHaveLength(1);
    await driver.node.delete(context(), ref(large.id));
  });

  check('acts in place on a node of a lower generation', async () => {
    const spec = bed().worker();
    const { context, driver } = parts();
    const { infrastructureId } = await driver.node.create(context(), spec);
    for (let twice = 0; twice < 2; twice++) {
      await driver.node.update(context({ generation: 2 }), { ...spec, generation: 2, labels: { disk: 'fast' } });
      await driver.node.drain(context({ generation: 2 }), ref(spec.id, 2));
      await driver.node.undrain(context({ generation: 2 }), ref(spec.id, 2));
      await driver.node.softReboot(context({ generation: 3 }), ref(spec.id, 3));
      await driver.node.hardReboot(context({ generation: 4 }), ref(spec.id, 4));
    }
    expect(await driver.node.inspect(context(), ref(spec.id, 4))).toMatchObject({ infrastructureId });
    expect(await bed().units('node', spec.id)).toHaveLength(1);
    await driver.node.delete(context(), ref(spec.id, 5));
    expect(await bed().units('node', spec.id)).toEqual([]);
  });

  check('knows what is not there', async () => {
    const { context, driver } = parts();
    const missing = ref(bed().worker().id);
    expect(await driver.node.inspect(context(), missing)).toBeUndefined();
    const cluster = bed().fixture.clusterSpec();
    expect(await driver.cluster.inspect(context(), referenceTo(cluster.id, cluster.id))).toBeUndefined();
    await expect(driver.node.softReboot(context(), missing)).rejects.toMatchObject({ failure: 'notFound' });
  });

  check('updates and inspects the cluster in place', async () => {
    const { context, driver } = parts();
    const { cluster } = bed();
    const before = await driver.cluster.inspect(context(), referenceTo(cluster.id, cluster.id));
    await driver.cluster.update(context({ generation: 2 }), { ...cluster, generation: 2, labels: { tier: 'gold' } });
    await driver.cluster.update(context({ generation: 2 }), { ...cluster, generation: 2, labels: { tier: 'gold' } });
    const after = await driver.cluster.inspect(context(), referenceTo(cluster.id, cluster.id, 2));
    expect(after?.infrastructureId).toBe(before?.infrastructureId);
  });

  check('lists by cluster, and again after it is opened anew', async () => {
    const { context, driver } = parts();
    const other = await bed().fixture.open();
    try {
      const ours = await driver.list(context(), { clusterId: bed().cluster.id });
      expect(await other.list(context(), { clusterId: bed().cluster.id })).toEqual(ours);
      expect(ours.map(unit => unit.resourceId)).toEqual(expect.arrayContaining([bed().cluster.id, bed().node.id]));
      expect(ours.every(unit => unit.clusterId === bed().cluster.id)).toBe(true);
      expect(await driver.list(context(), { clusterId: bed().fixture.clusterSpec().id })).toEqual([]);
    } finally {
      await other.close();
    }
  });

  function parts() {
    const { driver } = bed();
    return { driver, context: bed().context.bind(bed()) };
  }

  function ref(id: string, generation = 1) {
    return referenceTo(id, bed().cluster.id, generation);
  }
}
