import { uniqueName } from '@stave/testing';
import { CommandLines } from './command-lines.js';
import { createCluster, creation } from './created-cluster.js';

jest.setTimeout(300_000);

let stave: CommandLines;
let cluster: string;
beforeAll(async () => {
  stave = await CommandLines.start();
  cluster = await createCluster(stave.stave);
});
afterAll(() => stave?.close());

describe('commands of clusters and what is inside them', () => {
  it('clusters are paused, resumed, rebooted, rebuilt, upgraded, and show their past and their load', async () => {
    await stave.all(
      `clusters pause ${cluster} --wait`,
      `clusters resume ${cluster} --wait`,
      `clusters reboot ${cluster} soft --wait`,
      `clusters rebuild ${cluster} --wait`,
      `clusters wait ${cluster} --timeout 60s`,
    );
    // one version of the driver is offered here
    expect(await stave.refused(`clusters upgrade ${cluster} 99.0.0`)).toMatch(/no-conductor-available/);
    expect(await stave.run(`clusters history ${cluster}`)).toMatch(/cluster\.paused\.v1/);
    expect(await stave.read(`clusters stats ${cluster}`)).toHaveProperty('nodes');
    expect(await stave.refused(`clusters accept-loss ${cluster}`)).toMatch(/correlation id/);
  });

  it('a cluster that failed is tried again', async () => {
    const name = uniqueName('fails');
    await stave.run(creation(name, 1, 'options.refuse={"cluster.create":1}').join(' '));
    await stave.run(`clusters wait ${name} --timeout 60s`, { code: 5 });
    await stave.all(`clusters retry ${name} --wait`, `clusters wait ${name} --timeout 60s`);
  });

  it('node groups are created, scaled, rebooted, rebuilt, awaited, shown and deleted', async () => {
    const group = `${await createCluster(stave.stave, 1)}/extra`;
    const flavor = 'flavor={"cpus":1,"memoryMb":256}';
    await stave.all(
      `node-groups create ${group} --set role=worker --set count=1 --set ${flavor} --wait`,
      `node-groups wait ${group} --timeout 60s`,
      `node-groups scale ${group} out --set count=1 --wait`,
      `node-groups reboot ${group} soft --wait`,
      `node-groups rebuild ${group} --wait`,
    );
    expect(await stave.read(`node-groups get ${group}`)).toMatchObject({ count: 2, status: 'ACTIVE' });
    expect(await stave.refused(`node-groups retry ${group}`)).toMatch(/nothing-to-retry/);
    expect(await stave.run(`node-groups history ${group}`)).toMatch(/nodeGroup\.created\.v1/);
    await stave.run(`node-groups delete ${group} --yes --wait`);
    await stave.refused(`node-groups get ${group}`);
  });

  it('nodes are cordoned, drained, rebooted, rebuilt, replaced, shown and deleted', async () => {
    const nodes = await stave.names(`nodes list --cluster ${cluster} --sort name`);
    const [node = ''] = nodes;
    expect(node).toMatch(new RegExp(`^${cluster}/workers-`));
    await stave.run(`nodes cordon ${node}`);
    expect(await stave.read(`nodes get ${node}`)).toMatchObject({ schedulable: false });
    await stave.all(
      `nodes uncordon ${node}`,
      `nodes drain ${node} --wait`,
      `nodes reboot ${node} hard --wait`,
      `nodes rebuild ${node} --wait`,
      `nodes wait ${node} --timeout 60s`,
    );
    expect(await stave.run(`nodes history ${node}`)).toMatch(/node\.cordoned\.v1/);
    expect(await stave.refused(`nodes retry ${node}`)).toMatch(/nothing-to-retry/);
    await stave.run(`nodes replace ${node} --wait`);
    await stave.refused(`nodes get ${node}`);
    const [, last] = await stave.names(`nodes list --cluster ${cluster} --sort name`);
    await stave.run(`nodes delete ${last} --yes --wait`);
    expect(await stave.names(`nodes list --cluster ${cluster}`)).toHaveLength(1);
  });

  it('a node whose removal waits is kept, or released', async () => {
    const name = await createCluster(stave.stave, 2);
    const policy = uniqueName('hook');
    const groups = [{ name: 'workers', policies: [{ policy }] }];
    const policies = [{ name: policy, type: 'deletion', properties: { hook: { timeoutSeconds: 600 } } }];
    const input = JSON.stringify({ policies, clusters: [{ name, nodeGroups: groups }] });
    await stave.run('apply -f - --yes', { input });
    const [node = ''] = await stave.names(`nodes list --cluster ${name} --sort name`);
    await stave.all(`nodes delete ${node} --yes`, `nodes abort ${node}`, `nodes delete ${node} --yes`);
    await stave.run(`nodes release ${node}`);
    await stave.run(`node-groups wait ${name}/workers --timeout 60s`);
    expect(await stave.names(`nodes list --cluster ${name}`)).not.toContain(node);
  });

  it('networks are created, listed, changed, awaited, shown and deleted', async () => {
    const net = `${cluster}/inside`;
    await stave.all(
      `networks create ${net} --wait`,
      `networks update ${net} --set labels.tier=web`,
      `networks wait ${net} --timeout 60s`,
    );
    expect(await stave.names(`networks list --cluster ${cluster}`)).toContain(net);
    expect(await stave.read(`networks get ${net}`)).toMatchObject({ labels: { tier: 'web' }, status: 'ACTIVE' });
    expect(await stave.refused(`networks retry ${net}`)).toMatch(/nothing-to-retry/);
    expect(await stave.run(`networks history ${net}`)).toMatch(/network\.created\.v1/);
    await stave.run(`networks delete ${net} --yes --wait`);
    await stave.refused(`networks get ${net}`);
  });

  it('volumes are created, listed, changed, awaited, shown and deleted', async () => {
    const volume = `${cluster}/data`;
    await stave.all(
      `volumes create ${volume} --wait`,
      `volumes update ${volume} --set labels.tier=db`,
      `volumes wait ${volume} --timeout 60s`,
    );
    expect(await stave.names(`volumes list --cluster ${cluster}`)).toContain(volume);
    expect(await stave.read(`volumes get ${volume}`)).toMatchObject({ labels: { tier: 'db' } });
    expect(await stave.run(`volumes history ${volume}`)).toMatch(/volume\.created\.v1/);
    expect(await stave.run(`volumes detach ${volume}`)).toMatch(/ACTIVE/);
    expect(await stave.refused(`volumes rebind ${volume}`)).toMatch(/--set discardData: is required/);
    expect(await stave.refused(`volumes retry ${volume}`)).toMatch(/nothing-to-retry/);
    await stave.run(`volumes delete ${volume} --yes --wait`);
    await stave.refused(`volumes get ${volume}`);
  });

  it('operations are listed, shown, awaited and cancelled', async () => {
    const name = uniqueName('slow');
    await stave.run(creation(name, 1, 'options.latencyMs=600000').join(' '));
    const { id: clusterId } = await stave.read(`clusters get ${name}`);
    const [id = ''] = await stave.names(`operations list --status RUNNING --filter clusterId=${String(clusterId)}`);
    expect(await stave.read(`operations get ${id}`)).toMatchObject({ status: 'RUNNING' });
    expect(await stave.run(`operations history ${id}`)).toMatch(/cluster\.created\.v1/);
    await stave.run(`operations wait ${id} --timeout 1s`, { code: 6 });
    await stave.run(`operations cancel ${id}`);
  });
});
