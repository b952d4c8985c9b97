import { eventually, uniqueName } from '@stave/testing';
import { CommandLines } from './command-lines.js';
import { createCluster } from './created-cluster.js';

jest.setTimeout(300_000);

let stave: CommandLines;
let cluster: string;
beforeAll(async () => {
  stave = await CommandLines.start();
  cluster = await createCluster(stave.stave);
});
afterAll(() => stave?.close());

async function createProfile(on = cluster, image = 'web:1'): Promise<string> {
  const name = uniqueName('p');
  const size = '--set resources.cpus=0.1 --set resources.memoryMb=64';
  await stave.run(`container-profiles create ${name} --set image=${image} --set hostCluster=${on} ${size}`);
  return name;
}

async function createSet(desired: number): Promise<string> {
  const name = uniqueName('set');
  const members = `--set profile=${await createProfile()} --set desired=${desired}`;
  await stave.run(`container-sets create ${name} ${members} --wait`);
  return name;
}

describe('commands of containers, their sets, profiles and policies', () => {
  it('profiles are created, listed, changed, awaited, shown and deleted', async () => {
    const profile = await createProfile();
    expect(await stave.names(`container-profiles list --name ${profile}`)).toEqual([profile]);
    await stave.run(`container-profiles update ${profile} --set description=changed`);
    expect(await stave.read(`container-profiles get ${profile}`)).toMatchObject({ description: 'changed' });
    expect(await stave.run(`container-profiles history ${profile}`)).toMatch(/containerProfile\.updated\.v1/);
    await stave.all(`container-profiles wait ${profile} --timeout 60s`, `container-profiles delete ${profile} --yes`);
    await stave.refused(`container-profiles get ${profile}`);
  });

  it('policies are created, listed, changed, awaited, shown and deleted', async () => {
    const policy = uniqueName('pol');
    await stave.run(`policies create ${policy} --set type=deletion --set properties.criteria=oldest`);
    expect(await stave.names(`policies list --name ${policy}`)).toEqual([policy]);
    await stave.run(`policies update ${policy} --set properties.criteria=youngest`);
    expect(await stave.read(`policies get ${policy}`)).toMatchObject({ properties: { criteria: 'youngest' } });
    expect(await stave.run(`policies history ${policy}`)).toMatch(/policy\.updated\.v1/);
    await stave.all(`policies wait ${policy} --timeout 60s`, `policies delete ${policy} --yes`);
    await stave.refused(`policies get ${policy}`);
  });

  it('policies are attached to a set, a node group and a cluster, changed there, listed, and detached', async () => {
    const set = await createSet(1);
    const [policy, health] = [uniqueName('pol'), uniqueName('health')];
    await stave.run(`policies create ${policy} --set type=deletion --set properties.criteria=oldest`);
    await stave.run(`policies create ${health} --set type=health --set properties.maxUnhealthy=25%`);
    expect(await stave.run(`policies attachments ${policy}`)).toMatch(/attached to nothing/);
    expect(await stave.run(`policies attach ${policy} --container-set ${set} --plan`)).toMatch(/stave apply/);
    await stave.all(
      `policies attach ${policy} --container-set ${set} --priority 7 --disabled`,
      `policies attach ${policy} --node-group ${cluster}/workers`,
      `policies attach ${health} --cluster ${cluster} --priority 5`,
      `policies attach ${health} --cluster ${cluster}`,
    );
    const { items } = await stave.read<{ items: readonly object[] }>(`policies attachments ${policy}`);
    expect(items).toHaveLength(2);
    expect(items).toContainEqual(expect.objectContaining({ targetType: 'containerSet', enabled: false, priority: 7 }));
    expect(items).toContainEqual(expect.objectContaining({ targetType: 'nodeGroup', enabled: true, priority: 100 }));
    const table = await stave.run(`policies attachments ${policy}`);
    expect(table).toContain(set);
    expect(table).toContain('workers');
    expect(await stave.run(`policies attachments ${health}`)).toMatch(new RegExp(`cluster +${cluster} +100`));
    expect(await stave.refused(`policies delete ${policy} --yes`)).toMatch(/policy-attached|attached/);
    await stave.all(
      `policies detach ${policy} --container-set ${set}`,
      `policies detach ${policy} --node-group ${cluster}/workers`,
      `policies detach ${health} --cluster ${cluster}`,
      `policies delete ${policy} --yes`,
      `policies delete ${health} --yes`,
    );
    await stave.run(`policies attach ${policy}`, { code: 2 });
    await stave.run(`policies attach ${policy} --cluster ${cluster} --container-set ${set}`, { code: 2 });
    await stave.run(`policies attach ${policy} --cluster ${cluster} --priority high`, { code: 2 });
  });

  it('containers are stopped, started, restarted, moved, changed, listed, shown and deleted', async () => {
    const container = uniqueName('ct');
    await stave.run(`containers create ${container} --set profile=${await createProfile()} --wait`);
    await stave.all(
      `containers stop ${container} --wait`,
      `containers start ${container} --wait`,
      `containers restart ${container} --wait`,
      `containers move ${container} --wait`,
      `containers update ${container} --set labels.tier=web --wait`,
      `containers wait ${container} --timeout 60s`,
    );
    expect(await stave.names(`containers list --label tier=web`)).toContain(container);
    expect(await stave.read(`containers get ${container}`)).toMatchObject({ status: 'ACTIVE' });
    expect(await stave.run(`containers history ${container}`)).toMatch(/container\.created\.v1/);
    const written = await stave.run(`containers logs ${container} --tail 5`);
    expect(written).not.toBe('');
    expect(await stave.run(`logs ${container} --tail 5`)).toBe(written);
    expect(await stave.read(`containers stats ${container}`)).toHaveProperty('cpuCores');
    await stave.run(`containers delete ${container} --yes --wait`);
    await stave.refused(`containers get ${container}`);
  });

  it('container sets are resized, scaled, restarted, rolled, rebalanced, listed, explained and deleted', async () => {
    const set = await createSet(1);
    await stave.all(
      `container-sets resize ${set} +1 --wait`,
      `container-sets scale ${set} out --set count=1 --wait`,
      `container-sets restart ${set} --wait`,
      `container-sets roll ${set} ${await createProfile()} --wait`,
      `container-sets rebalance ${set} --wait`,
      `container-sets update ${set} --set max=5`,
      `container-sets wait ${set} --timeout 60s`,
    );
    expect(await stave.names(`container-sets list --name ${set}`)).toEqual([set]);
    expect(await stave.read(`container-sets get ${set}`)).toMatchObject({ desired: 3, max: 5, status: 'ACTIVE' });
    expect(await stave.run(`container-sets history ${set}`)).toMatch(/containerSet\.created\.v1/);
    expect(await stave.run(`container-sets why ${set}`)).toMatch(/ACTIVE/);
    await stave.run(`container-sets delete ${set} --yes --wait`);
    await stave.refused(`container-sets get ${set}`);
  });

  it('why shows the sizes of a set that follows its load, who holds it, and its last change', async () => {
    const set = await createSet(1);
    expect(await stave.run(`why ${set}`)).toContain('It keeps its size of 1 member, since it is not scaled');
    const metrics = '[{"resource":"cpu","target":0.8}]';
    await stave.all(
      `container-sets update ${set} --set max=4 --set autoscaling.enabled=true --set autoscaling.metrics=${metrics}`,
      `container-sets resize ${set} 2 --wait`,
    );
    const said = await stave.run(`container-sets why ${set}`);
    expect(said).toMatch(/^Desired +2 members, between \d and 4$/m);
    expect(said).toMatch(/^Recommended +\S/m);
    expect(said).toMatch(/^Autoscaler +held: it was resized by/m);
    expect(said).toMatch(/^Held until +\d{4}-/m);
    expect(said).toMatch(/^Last change +from 1 to 2, \d+s ago, by /m);
    expect(said).toMatch(/^ {2}out and in +It was resized by .* HELD$/m);
    expect(await stave.read(`why ${set}`)).toMatchObject({ autoscaling: { state: 'held', desired: 2 } });
  });

  it('a rollout of a container set is paused and resumed', async () => {
    const name = await createCluster(stave.stave, 1);
    const [node = ''] = await stave.names(`nodes list --cluster ${name}`);
    const set = uniqueName('set');
    await stave.all(
      `container-sets create ${set} --set profile=${await createProfile(name)} --set desired=1 --wait`,
      `nodes cordon ${node}`,
      // the successor has no node
      `container-sets roll ${set} ${await createProfile(name, 'web:2')}`,
      `container-sets pause ${set}`,
    );
    expect(await stave.read(`container-sets get ${set}`)).toMatchObject({ rollout: { status: 'PAUSED' } });
    await stave.all(
      `container-sets resume ${set}`,
      `nodes uncordon ${node}`,
      `container-sets wait ${set} --timeout 60s`,
    );
    const { id } = await stave.read(`container-sets get ${set}`);
    const members = `containers list --filter setId=${String(id)}`;
    const { items } = await stave.read<{ items: readonly object[] }>(members);
    expect(items).toEqual([expect.objectContaining({ image: 'web:2' })]);
    expect(await stave.refused(`container-sets pause ${set}`)).toMatch(/no-rollout/);
  });

  it('containers and container sets that failed are tried again', async () => {
    const name = await createCluster(stave.stave, 1, 'options.refuse={"container.create":1}');
    const [container, set] = [uniqueName('ct'), uniqueName('set')];
    const profile = `--set profile=${await createProfile(name)}`;
    await stave.run(`containers create ${container} ${profile} --wait`, { code: 5 });
    await stave.run(`containers retry ${container} --wait`);
    expect(await stave.read(`containers get ${container}`)).toMatchObject({ status: 'ACTIVE' });
    expect(await stave.refused(`containers retry ${container}`)).toMatch(/nothing-to-retry/);
    const members = `${profile} --set desired=1 --set backoff.giveUpAfter=1`;
    await stave.run(`container-sets create ${set} ${members} --wait`, { code: 5 });
    await stave.run(`clusters update ${name} --unset options.refuse --wait`);
    await stave.run(`container-sets retry ${set} --wait`);
    expect(await stave.read(`container-sets get ${set}`)).toMatchObject({ status: 'ACTIVE' });
    expect(await stave.refused(`container-sets retry ${set}`)).toMatch(/nothing-to-retry/);
  });

  it('a container whose removal waits is kept, or released', async () => {
    const set = await createSet(2);
    const policy = uniqueName('hook');
    const policies = [{ name: policy, type: 'deletion', properties: { hook: { timeoutSeconds: 600 } } }];
    const input = JSON.stringify({ policies, containerSets: [{ name: set, policies: [{ policy }] }] });
    await stave.run('apply -f - --yes', { input });
    const { id } = await stave.read(`container-sets get ${set}`);
    const members = `containers list --filter setId=${String(id)}`;
    const leaving = (): Promise<string> =>
      eventually(async () => (await stave.names(`${members} --status DELETING`))[0], 'a member leaves');
    await stave.run(`container-sets resize ${set} -1`);
    await stave.run(`containers abort ${await leaving()}`);
    await stave.run(`container-sets wait ${set} --timeout 60s`);
    expect(await stave.names(members)).toHaveLength(2);
    await stave.run(`container-sets resize ${set} -1`);
    await stave.run(`containers release ${await leaving()}`);
    await stave.run(`container-sets wait ${set} --timeout 60s`);
    expect(await stave.names(members)).toHaveLength(1);
  });
});
