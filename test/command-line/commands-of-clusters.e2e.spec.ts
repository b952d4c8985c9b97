import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFakeVersion } from '@stave/driver-fake/testing';
import { eventually, uniqueName } from '@stave/testing';
import { CommandLines } from './command-lines.js';
import { createCluster, creation } from './created-cluster.js';

jest.setTimeout(300_000);

let stave: CommandLines;
let cluster: string;
/** Loses a node when the conductor has surely seen it. */
let losing: string;
let drivers: string;
beforeAll(async () => {
  drivers = await mkdtemp(join(tmpdir(), 'stave-versions-'));
  await makeFakeVersion(join(drivers, 'fake_v1_1'), '1.1.0', '1.0.0');
  const versions = { DRIVERS_PATH: drivers, DRIVERS_ENABLED: 'fake@1.0.0,fake@1.1.0' };
  // the loss of a single node is suspected
  stave = await CommandLines.start({ ...versions, MASS_LOSS_SHARE: '0', MASS_LOSS_MIN: '1' });
  cluster = await createCluster(stave.stave);
  losing = await createCluster(stave.stave, 2, 'options.lose={"nodes":1,"afterMs":30000}');
});
afterAll(async () => {
  await stave?.close();
  await rm(drivers, { recursive: true, force: true });
});

const WAIT = { timeoutMs: 120_000, everyMs: 500 };

describe('commands of clusters and what is inside them', () => {
  it('clusters are paused, resumed, rebooted, rebuilt, and show their past and their load', async () => {
    await stave.all(
      `clusters pause ${cluster} --wait`,
      `clusters resume ${cluster} --wait`,
      `clusters reboot ${cluster} soft --wait`,
      `clusters rebuild ${cluster} --wait`,
      `clusters wait ${cluster} --timeout 60s`,
    );
    expect(await stave.run(`clusters history ${cluster}`)).toMatch(/cluster\.paused\.v1/);
    expect(await stave.read(`clusters stats ${cluster}`)).toHaveProperty('nodes');
  });

  it('a cluster is upgraded to another version of its driver', async () => {
    const old = await createCluster(stave.stave, 1, 'driverVersion=1.0.0');
    await stave.run(`clusters upgrade ${old} 1.1.0 --wait`);
    expect(await stave.refused(`clusters upgrade ${old} 1.0.0`)).toMatch(/not-newer/);
    expect(await stave.read(`clusters get ${old}`)).toMatchObject({ driverVersion: '1.1.0', status: 'ACTIVE' });
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
    await stave.run(`nodes replace ${node} --wait`);
    await stave.refused(`nodes get ${node}`);
    const [, last] = await stave.names(`nodes list --cluster ${cluster} --sort name`);
    await stave.run(`nodes delete ${last} --yes --wait`);
    expect(await stave.names(`nodes list --cluster ${cluster}`)).toHaveLength(1);
  });

  it('nodes, node groups, networks and volumes that failed are tried again', async () => {
    const name = uniqueName('refusing');
    const refuse = 'options.refuse={"node.create":1,"node.delete":1,"network.create":1,"volume.create":1}';
    const volumeDrivers = 'options.volumeDrivers={"shared":"cluster"}';
    await stave.run([...creation(name, 2, refuse, volumeDrivers), '--wait'].join(' '), { code: 5 });
    const [node = '', other = ''] = await stave.names(`nodes list --cluster ${name} --status FAILED`);
    await stave.all(`nodes retry ${node} --wait`, `nodes retry ${other} --wait`);
    expect(await stave.names(`nodes list --cluster ${name} --status ACTIVE`)).toHaveLength(2);
    await stave.run(`node-groups resize ${name}/workers 1 --wait`, { code: 5 });
    await stave.run(`node-groups retry ${name}/workers --wait`);
    expect(await stave.names(`nodes list --cluster ${name}`)).toHaveLength(1);
    const [net, volume] = [`${name}/inside`, `${name}/data`];
    await stave.run(`networks create ${net} --set driver=overlay --wait`, { code: 5 });
    await stave.run(`networks retry ${net} --wait`);
    await stave.run(`volumes create ${volume} --set driver=shared --wait`, { code: 5 });
    await stave.run(`volumes retry ${volume} --wait`);
    expect(await stave.read(`networks get ${net}`)).toMatchObject({ status: 'ACTIVE' });
    expect(await stave.read(`volumes get ${volume}`)).toMatchObject({ status: 'ACTIVE' });
    for (const ref of [
      `nodes retry ${node}`,
      `node-groups retry ${name}/workers`,
      `networks retry ${net}`,
      `volumes retry ${volume}`,
    ])
      expect(await stave.refused(ref)).toMatch(/nothing-to-retry/);
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

  it('why shows the size of a node group that is scaled automatically, what holds it, and its nodes', async () => {
    const group = '--set role=worker --set count=1 --set maxCount=3 --set flavor={"cpus":2,"memoryMb":2048}';
    await stave.run(`node-groups create ${cluster}/scaled ${group} --set autoscaling.enabled=true --wait`);
    const said = await stave.run(`node-groups why ${cluster}/scaled`);
    expect(said).toMatch(/^Desired +1 node, between 0 and 3\nAutoscaler +\w+$/m);
    expect(said).toMatch(/^Nodes\n {2}scaled-0 .* [A-Z_]+$/m);
    await stave.run(`node-groups resize ${cluster}/scaled +1 --wait`);
    expect(await stave.run(`why ${cluster}/scaled`)).toMatch(/^Autoscaler +held\nHeld until +\d{4}-/m);
    await stave.run(`node-groups delete ${cluster}/scaled --yes --wait`);
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
    await stave.run(`volumes delete ${volume} --yes --wait`);
    await stave.refused(`volumes get ${volume}`);
  });

  it('a volume is taken from its container, and bound to another node when its own is gone', async () => {
    const [profile, container] = [uniqueName('p'), uniqueName('ct')];
    const name = await createCluster(stave.stave, 2, 'options.volumeDrivers={"local":"node","shared":"cluster"}');
    const volumes =
      '[{"name":"local","mountPath":"/l"},{"name":"shared","driver":"shared","accessMode":"exclusive","mountPath":"/s"}]';
    const members = `--set image=db:1 --set hostCluster=${name} --set volumes=${volumes}`;
    await stave.all(
      `container-profiles create ${profile} ${members}`,
      `containers create ${container} --set profile=${profile} --wait`,
    );
    expect(await stave.refused(`volumes detach ${name}/shared`)).toMatch(/in-use/);
    await stave.run(`volumes detach ${name}/shared --set force=true`);
    expect(await stave.read(`volumes get ${name}/shared`)).toMatchObject({ attachedTo: [] });
    const { nodeId } = await stave.read(`volumes get ${name}/local`);
    await stave.run(`nodes delete ${String(nodeId)} --query discardVolumes=true --yes --wait`);
    expect(await stave.refused(`volumes rebind ${name}/local`)).toMatch(/--set discardData: is required/);
    await stave.all(
      `volumes rebind ${name}/local --set discardData=true`,
      `containers wait ${container} --timeout 60s`,
    );
    const { nodeId: now } = await stave.read(`volumes get ${name}/local`);
    expect(now).not.toBe(nodeId);
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
    const [ended] = await stave.names('operations list --status SUCCEEDED --limit 1');
    await stave.run(`operations wait ${ended} --timeout 60s`);
  });

  it('the loss of a node is accepted, and the node is replaced', async () => {
    expect(await stave.refused(`clusters accept-loss ${cluster}`)).toMatch(/no-loss-suspected/);
    const unreachable = async () => (await stave.names(`nodes list --cluster ${losing} --status UNREACHABLE`)).length;
    await eventually(async () => (await unreachable()) === 1, { ...WAIT, what: 'the loss is suspected' });
    await stave.run(`clusters accept-loss ${losing}`);
    await eventually(async () => (await unreachable()) === 0, { ...WAIT, what: 'the loss is accepted' });
    await stave.run(`clusters wait ${losing} --timeout 60s`);
    expect(await stave.names(`nodes list --cluster ${losing} --status ACTIVE`)).toHaveLength(2);
  });
});
