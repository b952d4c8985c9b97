import { dispatchTask } from '../../actions/dispatch.js';
import type { ClusterSpec } from '../../driver.js';
import { referenceTo } from '../spec-builders.js';
import type { RegisterCheck } from './conformance-score.js';
import type { TestBed } from './test-bed.js';

/** Registers the checks of clusters whose unit vanished behind the back of the driver. */
export function missingClusterChecks(bed: () => TestBed, check: RegisterCheck): void {
  check('reports a cluster whose unit vanished, which the core then creates again', async () => {
    const { driver, fixture } = bed();
    const spec = fixture.clusterSpec();
    await driver.cluster.create(bed().context(), spec);
    for (const unit of await bed().units('cluster', spec.id)) await driver.remove(bed().context(), unit);
    const changed = { ...spec, generation: 2, labels: { tier: 'gold' } };
    const late = driver.cluster.update(bed().context({ generation: 2 }), changed);
    await expect(late).rejects.toMatchObject({ failure: 'notFound' });
    expect(await bed().units('cluster', spec.id)).toEqual([]);
    const { infrastructureId } = await update(changed);
    expect(await bed().units('cluster', spec.id)).toEqual([
      expect.objectContaining({ infrastructureId, generation: 2 }),
    ]);
    expect((await update(changed)).infrastructureId).toBe(infrastructureId);
    await driver.cluster.delete(bed().context({ generation: 2 }), { ...referenceTo(spec, 2), options: {} });
    expect(await bed().units('cluster', spec.id)).toEqual([]);
  });

  check('rebuilds the nodes of a cluster whose unit vanished and was created again', async () => {
    const { driver, fixture } = bed();
    if (!fixture.loseCluster) return;
    const spec = fixture.clusterSpec();
    await driver.cluster.create(bed().context(), spec);
    const manager = bed().worker({ cluster: spec, role: 'manager', ordinal: 0 });
    const worker = bed().worker({ cluster: spec, ordinal: 1 });
    for (const node of [manager, worker]) await driver.node.create(bed().context(), node);
    await fixture.loseCluster(spec.id);
    expect(await driver.cluster.inspect(bed().context(), referenceTo(spec))).toBeUndefined();
    const again = { ...spec, generation: 2 };
    await update(again);
    for (const node of [manager, worker])
      await driver.node.rebuild(bed().context({ generation: 2 }), { ...node, generation: 2, cluster: again });
    const units = await driver.list(bed().context(), { clusterId: spec.id });
    expect(
      units.map(({ kind, resourceId, generation, state }) => [kind, resourceId, generation, state]).sort(),
    ).toEqual(
      [
        ['cluster', spec.id, 2, 'running'],
        ['node', manager.id, 2, 'running'],
        ['node', worker.id, 2, 'running'],
      ].sort(),
    );
    for (const node of [worker, manager])
      await driver.node.delete(bed().context({ generation: 2 }), referenceTo(node, 2));
    await driver.cluster.delete(bed().context({ generation: 2 }), { ...referenceTo(spec, 2), options: {} });
    expect(await driver.list(bed().context(), { clusterId: spec.id })).toEqual([]);
  });

  /** Updates the cluster by the task of a conductor. */
  async function update(spec: ClusterSpec): Promise<{ readonly infrastructureId: string }> {
    const { generation } = spec;
    const task = { kind: 'cluster.update', spec } as const;
    return (await dispatchTask(bed().driver, bed().context({ generation }), task)).result;
  }
}
