import { labelled, machineNodeUnit } from '@stave/docker';
import { clusterSpec, describeOnEngine, managerSpec } from './testing/real-engine.fixture.js';

describeOnEngine('The units of another driver on the same engine', engine => {
  it('are not listed, and neither is what belongs to them alone', async () => {
    const { driver, ctx, host, installation, warnings } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    await driver.node.create(ctx, managerSpec('m1'));
    const own = await driver.list(ctx);
    expect(own.map(({ kind, resourceId }) => [kind, resourceId])).toEqual([
      ['cluster', 'cluster-1'],
      ['node', 'm1'],
    ]);
    const labels = (unit: string, node?: string) =>
      labelled({ installation, driver: 'k8s_docker', unit, cluster: 'foreign', node, generation: 1 });
    const member = { 'stave.member': 'w1-1', 'stave.address': '10.9.8.7' };
    const name = (what: string): string => `stave-${installation}-${what}`;
    await host.change(ctx, 'POST', '/networks/create', { body: { Name: name('net'), Labels: labels('cluster') } });
    for (const [what, given] of [
      ['control-plane-1', labelled({ installation, unit: 'cluster', cluster: 'foreign', generation: 0 })],
      ['record', { ...labels(machineNodeUnit, 'w2'), ...member, 'stave.engineUrl': 'tcp://192.0.2.1:2376' }],
      ['unused', labels('node', 'w3')],
    ] as const)
      await host.change(ctx, 'POST', '/volumes/create', { body: { Name: name(what), Labels: given } });
    const container = {
      Image: 'stave/busybox:1',
      Cmd: ['sleep', '1000'],
      Labels: { ...labels('node', 'w1'), ...member },
    };
    const query = { name: name('w1') };
    const { Id } = await host.change<{ Id: string }>(ctx, 'POST', '/containers/create', { query, body: container });
    await host.change(ctx, 'POST', `/containers/${Id}/start`);

    expect(await driver.list(ctx)).toEqual(own);
    expect(await driver.list(ctx, { clusterId: 'foreign' })).toEqual([]);
    expect((await driver.monitor?.usage(ctx))?.map(({ nodeId }) => nodeId)).toEqual(['m1']);
    expect(warnings).toEqual([]);

    await host.change(ctx, 'DELETE', `/containers/${Id}`, { query: { force: true } });
    for (const what of ['control-plane-1', 'record', 'unused'])
      await host.change(ctx, 'DELETE', `/volumes/${name(what)}`);
    await host.change(ctx, 'DELETE', `/networks/${name('net')}`);
  });
});
