import type { Unit } from '@stave/driver-sdk';
import { engineSuite, clusterSpec, nodeSpec } from './real-engine.fixture.js';

const ref = (id: string, generation = 1) => ({ id, clusterId: 'cluster-1', generation, options: {} });

describe('what a node leaves whose container was removed by hand', () => {
  const { engine, onEngine } = engineSuite();

  /** As `docker rm --force` does: the anonymous volume stays. */
  const removeByHand = async (infrastructureId: string): Promise<void> => {
    const { host, ctx } = engine();
    await host.change(ctx, 'DELETE', `/containers/${infrastructureId}`, { query: { force: true }, timeoutMs: 60_000 });
  };
  const build = async (id: string, generation = 1): Promise<string> => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    return (await driver.node.create(ctx, { ...nodeSpec(id, { role: 'manager' }), generation })).infrastructureId;
  };
  const volumes = async (): Promise<readonly Unit[]> => {
    const units = await engine().driver.list(engine().ctx);
    return units.filter(({ infrastructureId, kind }) => kind === 'node' && infrastructureId.startsWith('volume:'));
  };

  onEngine('is listed beside the node that stands in for it, and removed by the sweep', async () => {
    const { driver, ctx } = engine();
    await removeByHand(await build('r1'));
    expect(await volumes()).toEqual([
      expect.objectContaining({ resourceId: 'r1', clusterId: 'cluster-1', generation: 0, state: 'failed' }),
    ]);
    expect(await driver.list(ctx, { clusterId: 'other' })).toEqual([]);
    const again = await build('r1');
    const [left] = await volumes();
    if (!left) throw new Error('the volume is not listed any more');
    await driver.remove(ctx, left);
    await driver.remove(ctx, left);
    expect(await volumes()).toEqual([]);
    expect((await driver.node.inspect(ctx, ref('r1')))?.infrastructureId).toBe(again);
    await driver.node.delete(ctx, ref('r1'));
  });

  onEngine('goes with the next generation, and with the delete of the node', async () => {
    const { driver, ctx } = engine();
    await removeByHand(await build('r2'));
    await removeByHand(await build('r2', 2));
    expect(await volumes()).toHaveLength(1);
    await driver.node.delete(ctx, ref('r2', 1));
    expect(await volumes()).toHaveLength(1);
    await driver.node.delete(ctx, ref('r2', 2));
    expect(await volumes()).toEqual([]);
  });

  onEngine('goes with the cluster', async () => {
    const { driver, ctx } = engine();
    await removeByHand(await build('r3'));
    expect(await volumes()).toHaveLength(1);
    await driver.cluster.delete(ctx, ref('cluster-1'));
    expect((await engine().leftovers()).filter(name => !/^[0-9a-f]{12}$/.test(name))).toEqual([]);
    expect(await driver.list(ctx)).toEqual([]);
  });

  onEngine('goes with the cluster that the sweep removes', async () => {
    const { driver, ctx } = engine();
    await removeByHand(await build('r4'));
    const cluster = (await driver.list(ctx)).find(unit => unit.kind === 'cluster');
    if (!cluster) throw new Error('the cluster is not listed');
    await driver.remove(ctx, cluster);
    expect(await driver.list(ctx)).toEqual([]);
  });
});
