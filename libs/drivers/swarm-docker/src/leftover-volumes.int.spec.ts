import type { Unit } from '@stave/driver-sdk';
import { describeOnEngine, clusterSpec, nodeSpec, ref } from './testing/real-engine.fixture.js';

describeOnEngine('The volume of a node whose container was removed manually', engine => {
  /** Removes a container as `docker rm --force` does, which keeps the anonymous volume. */
  const removeManually = async (infrastructureId: string): Promise<void> => {
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

  it('a leftover volume is listed beside the rebuilt node, and can be removed as an orphan', async () => {
    const { driver, ctx } = engine();
    await removeManually(await build('r1'));
    expect(await volumes()).toEqual([
      expect.objectContaining({ resourceId: 'r1', clusterId: 'cluster-1', generation: 0, state: 'failed' }),
    ]);
    expect(await driver.list(ctx, { clusterId: 'other' })).toEqual([]);
    const rebuilt = await build('r1');
    const [left] = await volumes();
    if (!left) throw new Error('the volume is not listed');
    await driver.remove(ctx, left);
    await driver.remove(ctx, left);
    expect(await volumes()).toEqual([]);
    expect((await driver.node.inspect(ctx, ref('r1')))?.infrastructureId).toBe(rebuilt);
    await driver.node.delete(ctx, ref('r1'));
  });

  it('a leftover volume is removed with a later generation of the node, and with the delete of the node', async () => {
    const { driver, ctx } = engine();
    await removeManually(await build('r2'));
    await removeManually(await build('r2', 2));
    expect(await volumes()).toHaveLength(1);
    await driver.node.delete(ctx, ref('r2', 1));
    expect(await volumes()).toHaveLength(1);
    await driver.node.delete(ctx, ref('r2', 2));
    expect(await volumes()).toEqual([]);
  });

  it('a leftover volume is removed by the delete of the cluster', async () => {
    const { driver, ctx } = engine();
    await removeManually(await build('r3'));
    expect(await volumes()).toHaveLength(1);
    await driver.cluster.delete(ctx, ref('cluster-1'));
    expect((await engine().leftovers()).filter(name => !/^[0-9a-f]{12}$/.test(name))).toEqual([]);
    expect(await driver.list(ctx)).toEqual([]);
  });

  it('a leftover volume is removed with an orphan cluster', async () => {
    const { driver, ctx } = engine();
    await removeManually(await build('r4'));
    const cluster = (await driver.list(ctx)).find(unit => unit.kind === 'cluster');
    if (!cluster) throw new Error('the cluster is not listed');
    await driver.remove(ctx, cluster);
    expect(await driver.list(ctx)).toEqual([]);
  });
});
