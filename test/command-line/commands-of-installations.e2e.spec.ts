import { uniqueName } from '@stave/testing';
import { CommandLines } from './command-lines.js';
import { createCluster } from './created-cluster.js';

jest.setTimeout(300_000);

let stave: CommandLines;
beforeAll(async () => {
  stave = await CommandLines.start();
});
afterAll(() => stave?.close());

describe('commands of templates, machines, projects, keys and conductors', () => {
  it('cluster templates are created, listed, changed, awaited, shown and deleted', async () => {
    const template = uniqueName('t');
    await stave.run(`cluster-templates create ${template} --set driver=fake`);
    expect(await stave.names(`cluster-templates list --name ${template}`)).toEqual([template]);
    await stave.run(`cluster-templates update ${template} --set labels.tier=web`);
    expect(await stave.read(`cluster-templates get ${template}`)).toMatchObject({ labels: { tier: 'web' } });
    expect(await stave.run(`cluster-templates history ${template}`)).toMatch(/clusterTemplate\.updated\.v1/);
    await stave.all(`cluster-templates wait ${template} --timeout 60s`, `cluster-templates delete ${template} --yes`);
    await stave.refused(`cluster-templates get ${template}`);
  });

  it('node group templates are created, listed, changed, awaited, shown and deleted', async () => {
    const template = uniqueName('t');
    await stave.run(`node-group-templates create ${template} --set role=worker`);
    expect(await stave.names(`node-group-templates list --name ${template}`)).toEqual([template]);
    await stave.run(`node-group-templates update ${template} --set count=3`);
    expect(await stave.read(`node-group-templates get ${template}`)).toMatchObject({ count: 3 });
    expect(await stave.run(`node-group-templates history ${template}`)).toMatch(/nodeGroupTemplate\.updated\.v1/);
    await stave.all(
      `node-group-templates wait ${template} --timeout 60s`,
      `node-group-templates delete ${template} --yes`,
    );
    await stave.refused(`node-group-templates get ${template}`);
  });

  it('machines are listed, changed, drained, taken back, cleaned and shown', async () => {
    const machine = uniqueName('m');
    const members = `--set engine.url=fake://${machine}?dirty=once --set labels.pool=${machine}`;
    await stave.all(`machines create ${machine} ${members} --wait`, `machines update ${machine} --set zone=a`);
    expect(await stave.names(`machines list --label pool=${machine}`)).toEqual([machine]);
    expect(await stave.read(`machines get ${machine}`)).toMatchObject({ zone: 'a', status: 'AVAILABLE' });
    await stave.run(`machines drain ${machine} --wait`);
    expect(await stave.read(`machines get ${machine}`)).toMatchObject({ status: 'MAINTENANCE' });
    await stave.run(`machines resume ${machine}`);
    const selector = `nodeGroups.0.machineSelector={"pool":"${machine}"}`;
    const cluster = await createCluster(stave.stave, 1, selector);
    await stave.run(`clusters delete ${cluster} --yes --wait`);
    await stave.run(`machines wait ${machine} --timeout 60s`, { code: 5 });
    await stave.all(`machines clean ${machine} --wait`, `machines wait ${machine} --timeout 60s`);
    expect(await stave.read(`machines get ${machine}`)).toMatchObject({ status: 'AVAILABLE' });
    expect(await stave.run(`machines history ${machine}`)).toMatch(/machine\.cleaningRequested\.v1/);
    await stave.run(`machines delete ${machine} --yes`);
  });

  it('projects are created, listed, changed, disabled, enabled, shown and deleted', async () => {
    const project = uniqueName('project');
    await stave.run(`projects create ${project}`);
    expect(await stave.names('projects list --all')).toContain(project);
    await stave.all(`projects update ${project} --set description=changed`, `projects disable ${project}`);
    expect(await stave.read(`projects get ${project}`)).toMatchObject({ status: 'DISABLED' });
    await stave.run(`projects enable ${project}`);
    expect(await stave.run(`projects history ${project}`)).toMatch(/project\.created\.v1/);
    await stave.run(`projects delete ${project} --yes`);
  });

  it('API keys are created, listed, shown, rotated and deleted', async () => {
    const name = uniqueName('key');
    const { id } = await stave.read<{ id: string }>(
      `api-keys create --set name=${name} --set project=default --set role=reader`,
    );
    expect(await stave.names('api-keys list --all')).toContain(name);
    expect(await stave.read(`api-keys get ${id}`)).toMatchObject({ name, role: 'reader' });
    expect(await stave.read(`api-keys rotate ${id}`)).toHaveProperty('key');
    await stave.run(`api-keys delete ${id} --yes`);
    expect(await stave.names('api-keys list --all')).not.toContain(name);
  });

  it('drivers, conductors, their groups and their rings are listed and shown', async () => {
    expect(await stave.names('drivers list')).toContain('fake');
    expect(await stave.read('drivers get fake')).toMatchObject({ name: 'fake' });
    const { items } = await stave.read<{ items: { id: string }[] }>('conductors list');
    expect(await stave.read(`conductors get ${items[0]?.id}`)).toMatchObject({ id: items[0]?.id });
    expect(await stave.run('conductor-groups list')).toMatch(/site-b/);
    const rings = await stave.read<{ items: { key: string }[] }>('rings list');
    expect(await stave.read(`rings get ${rings.items[0]?.key}`)).toHaveProperty('tables');
    // the last test: nobody works for this group afterwards
    await stave.run(`conductors drain ${items[0]?.id}`);
  });

  it('a stored profile is made the current one', async () => {
    for (const name of ['one', 'two']) await stave.run(`login --api-key-stdin --name ${name}`, { input: stave.key });
    await stave.run('profiles use one');
    expect(await stave.run('profiles list')).toMatch(/^\* +one .*\n +two /m);
  });
});
