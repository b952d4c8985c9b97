import { aDriverContext } from '@stave/driver-sdk/testing';
import { DriverError } from '@stave/driver-sdk';
import { type ContainerSummary, EngineClient, label, type SwarmNode, withLabels } from '@stave/docker';
import { clusterSpec, describeOnEngine, managerSpec, nodeSpec, ref } from './testing/real-engine.fixture.js';

describeOnEngine('Managers of a Swarm on a real engine', engine => {
  afterEach(() => engine().discard());

  const membersSeenBy = async (nodeId: string): Promise<readonly SwarmNode[]> => {
    const query = { all: true, ...withLabels({ [label.installation]: engine().installation, [label.node]: nodeId }) };
    const [container] = await engine().host.read<ContainerSummary[]>(engine().ctx, '/containers/json', { query });
    return new EngineClient(container?.Labels[label.socket] ?? '').read(engine().ctx, '/nodes');
  };
  const managersSeenBy = async (nodeId: string): Promise<string[]> => {
    const members = await membersSeenBy(nodeId);
    const managers = members.filter(one => one.ManagerStatus?.Reachability === 'reachable');
    return managers.map(one => one.Spec.Labels?.[label.node] ?? '').sort();
  };

  it('the largest odd number of nodes of a manager group are managers, also after removals', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    await Promise.all(['m1', 'm2', 'm3', 'm4'].map(id => driver.node.create(ctx, managerSpec(id))));
    const three = (await Promise.all(['m1', 'm2', 'm3', 'm4'].map(id => managersSeenBy(id).catch(() => [])))).find(
      one => one.length,
    );
    expect(three).toHaveLength(3);
    const [first = '', second = '', third = ''] = three ?? [];
    await driver.node.delete(ctx, ref(first));
    expect(await managersSeenBy(second)).toHaveLength(3);
    await driver.node.delete(ctx, ref(second));
    expect(await managersSeenBy(third).catch(() => ['not a manager'])).toHaveLength(1);
    expect(engine().warnings).toEqual([]);
  });

  it('the standby takes over the Swarm when the only manager is removed', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    for (const id of ['m1', 'm2']) await driver.node.create(ctx, managerSpec(id));
    await driver.node.create(ctx, nodeSpec('w1'));
    expect(await managersSeenBy('m1')).toEqual(['m1']);
    await driver.node.delete(ctx, ref('m1'));
    expect(await managersSeenBy('m2')).toEqual(['m2']);
    expect((await membersSeenBy('m2')).map(one => one.Spec.Labels?.[label.node]).sort()).toEqual(['m2', 'w1']);
  });

  it('the standby takes over the Swarm when the removal of the only manager crashed before any of its changes', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    for (const spec of [managerSpec('m0'), nodeSpec('w1')]) await driver.node.create(ctx, spec);
    let step = 1;
    for (let crashed = true; crashed; step += 1) {
      const [leader, successor] = [`m${step - 1}`, `m${step}`];
      await driver.node.create(ctx, managerSpec(successor));
      crashed = await crashesAt(step, part => driver.node.delete(part, ref(leader)));
      await driver.node.delete(ctx, ref(leader));
      expect(await managersSeenBy(successor)).toEqual([successor]);
      expect((await membersSeenBy(successor)).map(one => one.Spec.Labels?.[label.node]).sort()).toEqual([
        successor,
        'w1',
      ]);
    }
    expect(step).toBeGreaterThan(4);
    expect(engine().warnings).toEqual([]);
  });

  it('a new manager initializes a Swarm with the existing workers after the last manager was removed', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    for (const spec of [managerSpec('m1'), nodeSpec('w1')]) await driver.node.create(ctx, spec);
    await driver.node.delete(ctx, ref('m1'));
    await driver.node.create(ctx, managerSpec('m2'));
    const members = await membersSeenBy('m2');
    expect(members.map(one => one.Spec.Labels?.[label.node]).sort()).toEqual(['m2', 'w1']);
    expect(members.map(one => one.Status.State)).toEqual(['ready', 'ready']);
  });

  it('all nodes are members of the Swarm after the only manager was rebuilt', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    for (const spec of [managerSpec('m1'), nodeSpec('w1')]) await driver.node.create(ctx, spec);
    await driver.node.rebuild(ctx, { ...managerSpec('m1'), generation: 2 });
    expect((await membersSeenBy('m1')).map(one => one.Spec.Labels?.[label.node]).sort()).toEqual(['m1', 'w1']);
  });

  it('a create and a delete of a manager that crashed before any of their changes complete when they are repeated', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    let crashes = 0;
    for (let at = 1; ; at += 1) {
      if (await crashesAt(at, part => driver.node.create(part, managerSpec(`m${at}`)))) crashes += 1;
      else break;
      await driver.node.create(ctx, managerSpec(`m${at}`));
      for (let step = 1; await crashesAt(step, part => driver.node.delete(part, ref(`m${at}`))); step += 1)
        crashes += 1;
      expect((await driver.list(ctx)).map(unit => unit.kind)).toEqual(['cluster']);
    }
    expect(crashes).toBeGreaterThan(8);
    await engine().clear();
    expect(await engine().leftovers()).toEqual([]);
  });

  /** Runs a call whose checkpoint throws before the n-th change and every later one. Returns whether the call failed. */
  async function crashesAt(
    n: number,
    call: (ctx: ReturnType<typeof aDriverContext>) => Promise<unknown>,
  ): Promise<boolean> {
    let calls = 0;
    const checkpoint = () => {
      calls += 1;
      if (calls >= n) throw new DriverError('transient', 'the session ended');
    };
    const crashed = await call(aDriverContext({ checkpoint })).then(
      () => false,
      () => true,
    );
    return crashed;
  }
});
