import { clusterActions } from '../../driver.js';
import type { RegisterCheck } from './conformance-score.js';
import { referenceTo } from '../spec-builders.js';
import type { TestBed } from './test-bed.js';

/** Registers the checks that hold for clusters and nodes only. */
export function nodeChecks(bed: () => TestBed, check: RegisterCheck): void {
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
    await driver.node.delete(context(), referenceTo(small));
    expect(await bed().units('node', small.id)).toEqual([]);
    expect(await bed().units('node', large.id)).toHaveLength(1);
    await driver.node.delete(context(), referenceTo(large));
  });

  check('computes the capacity of a node before it is built', async () => {
    const spec = bed().worker();
    const { context, driver } = parts();
    const { id, flavor, options } = spec;
    const expected = await driver.node.expectedCapacity?.(context(), { id, generation: 0, flavor, options });
    const { capacity } = await driver.node.create(context(), spec);
    expect(expected ?? capacity).toEqual(capacity);
    await driver.node.delete(context(), referenceTo(spec));
  });

  check('changes a node of a lower generation in place', async () => {
    const spec = bed().worker();
    const { context, driver } = parts();
    const { infrastructureId } = await driver.node.create(context(), spec);
    for (let twice = 0; twice < 2; twice++) {
      await driver.node.update(context({ generation: 2 }), { ...spec, generation: 2, labels: { disk: 'fast' } });
      await driver.node.drain(context({ generation: 2 }), referenceTo(spec, 2));
      await driver.node.undrain(context({ generation: 2 }), referenceTo(spec, 2));
      await driver.node.softReboot(context({ generation: 3 }), referenceTo(spec, 3));
      await driver.node.hardReboot(context({ generation: 4 }), referenceTo(spec, 4));
    }
    expect(await driver.node.inspect(context(), referenceTo(spec, 4))).toMatchObject({ infrastructureId });
    expect(await bed().units('node', spec.id)).toHaveLength(1);
    await driver.node.delete(context(), referenceTo(spec, 5));
    expect(await bed().units('node', spec.id)).toEqual([]);
  });

  check('reports a missing node or cluster', async () => {
    const { context, driver } = parts();
    const missing = referenceTo(bed().worker());
    expect(await driver.node.inspect(context(), missing)).toBeUndefined();
    const cluster = bed().fixture.clusterSpec();
    expect(await driver.cluster.inspect(context(), referenceTo(cluster))).toBeUndefined();
    await expect(driver.node.softReboot(context(), missing)).rejects.toMatchObject({ failure: 'notFound' });
  });

  check('updates and inspects the cluster in place', async () => {
    const { context, driver } = parts();
    const { cluster } = bed();
    const before = await driver.cluster.inspect(context(), referenceTo(cluster));
    await driver.cluster.update(context({ generation: 2 }), { ...cluster, generation: 2, labels: { tier: 'gold' } });
    await driver.cluster.update(context({ generation: 2 }), { ...cluster, generation: 2, labels: { tier: 'gold' } });
    const after = await driver.cluster.inspect(context(), referenceTo(cluster, 2));
    expect(after?.infrastructureId).toBe(before?.infrastructureId);
  });

  check('rebuilds and reboots a cluster with all its nodes, where it has the methods', async () => {
    const { context, driver } = parts();
    if (!clusterActions.some(action => driver.cluster[action])) return;
    const spec = bed().fixture.clusterSpec();
    await driver.cluster.create(context(), spec);
    const node = bed().worker({ cluster: spec, role: 'manager' });
    await driver.node.create(context(), node);
    const nodes = async () =>
      (await driver.list(context(), { clusterId: spec.id })).filter(unit => unit.kind !== 'cluster');
    const before = await nodes();
    for (const generation of [2, 2]) {
      await driver.cluster.rebuild?.(context({ generation }), { ...spec, generation });
      await driver.cluster.softReboot?.(context({ generation }), referenceTo(spec, generation));
      await driver.cluster.hardReboot?.(context({ generation }), referenceTo(spec, generation));
    }
    expect(before).toEqual([expect.objectContaining({ state: 'running', generation: 1 })]);
    expect(await nodes()).toEqual(before);
    await driver.node.delete(context(), referenceTo(node));
    await driver.cluster.delete(context(), { ...referenceTo(spec, 2), options: {} });
    const missing = referenceTo(bed().fixture.clusterSpec());
    for (const reboot of [driver.cluster.softReboot, driver.cluster.hardReboot])
      if (reboot)
        await expect(reboot.call(driver.cluster, context(), missing)).rejects.toMatchObject({ failure: 'notFound' });
  });

  check('lists the units of one cluster, also by another instance of the driver', async () => {
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
}

/** Registers the checks of nodes with volumes, for drivers that have `volumes` among the attributes of their manifest. */
export function nodeVolumeChecks(bed: () => TestBed, check: RegisterCheck): void {
  check('builds a node with its volumes once, and removes them with it', async () => {
    const { driver } = bed();
    const context = () => bed().context();
    const volumes = [
      { name: 'data', sizeGb: 1, mountPath: '/data' },
      { name: 'logs', sizeGb: 2, mountPath: '/var/log/app' },
    ];
    const spec = bed().worker({ volumes });
    const { infrastructureId } = await driver.node.create(context(), spec);
    expect(await driver.node.create(context(), spec)).toMatchObject({ infrastructureId });
    await driver.node.delete(context(), referenceTo(spec));
    expect(await bed().units('node', spec.id)).toEqual([]);
  });
}
