import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { createCluster } from './created-cluster.js';
import { StaveCommand } from './stave-command.js';

jest.setTimeout(240_000);

describe('fleet files', () => {
  let stack: EmbeddedStack;
  let stave: StaveCommand;
  beforeAll(async () => {
    stack = await EmbeddedStack.start();
    stave = await StaveCommand.at(stack.url, stack.adminKey);
  });
  afterAll(async () => {
    await stave?.close();
    await stack?.close();
  });

  it('what is exported is applied without a change; a changed file is planned and made, and removes with --prune only', async () => {
    const name = await createCluster(stave);
    const profile = uniqueName('web');
    const makes = ['cp', 'create', profile, '--set', 'image=nginx:1', '--set', 'resources.cpus=1'];
    expect((await stave.run([...makes, '--set', 'resources.memoryMb=64', '--set', `hostCluster=${name}`])).code).toBe(
      0,
    );
    const set = uniqueName('front');
    expect(
      (await stave.run(['sets', 'create', set, '--set', `profile=${profile}`, '--set', 'desired=2', '--wait'])).code,
    ).toBe(0);
    const file = join(stave.home, 'fleet.yaml');
    const { out } = await stave.run(['export', name]);
    writeFileSync(file, out);
    expect(await stave.json('apply', '-f', file, '--plan')).toEqual({ changes: [] });
    writeFileSync(file, out.replace('desired: 2', 'desired: 3').replace('count: 2', 'count: 3'));
    const plan = await stave.json<{ id: string; changes: { title: string }[] }>('apply', '-f', file, '--plan');
    expect(plan.changes.map(({ title }) => title)).toEqual(['node group workers', `container set ${set}`]);
    expect((await stave.run(['apply', plan.id, '--wait'])).code).toBe(0);
    expect((await stave.run(['apply', '-f', file, '--plan', '--exit-code'])).code).toBe(0);
    writeFileSync(file, `clusters:\n  - name: ${name}\n    nodeGroups: []\n`);
    expect(await stave.json('apply', '-f', file, '--plan')).toEqual({ changes: [] });
    const pruned = await stave.json<typeof plan>('apply', '-f', file, '--plan', '--prune');
    expect(pruned.changes.map(({ title }) => title)).toEqual([`container set ${set}`, `node group ${name}/workers`]);
  });

  it('a new cluster, its profile and its set are made from one file', async () => {
    const name = uniqueName('fleet');
    const file = `
clusters:
  - name: ${name}
    driver: fake
    nodeGroups:
      - { name: workers, role: worker, count: 1, flavor: { cpus: 4, memoryMb: 4096 } }
    networks:
      - { name: inside }
containerProfiles:
  - { name: ${name}-web, image: "nginx:1", resources: { cpus: 1, memoryMb: 64 }, hostCluster: ${name} }
containerSets:
  - { name: ${name}-set, profile: ${name}-web, desired: 2 }
`;
    const made = await stave.run(['apply', '-f', '-', '--yes', '--wait'], { input: file });
    expect(made).toMatchObject({ code: 0 });
    expect(await stave.json('sets', 'get', `${name}-set`)).toMatchObject({ counts: { available: 2 } });
    expect((await stave.run(['apply', '-f', '-', '--plan', '--exit-code'], { input: file })).code).toBe(0);
  });

  it('one name of a flavor with different sizes is refused, unless it is so already', async () => {
    const name = uniqueName('fleet');
    const group = (of: string, cpus: number) => {
      const flavor = { name: 'medium', cpus, memoryMb: 1024 };
      return { name: of, role: 'worker', count: 1, flavor };
    };
    const file = (...nodeGroups: object[]) => JSON.stringify({ clusters: [{ name, driver: 'fake', nodeGroups }] });
    const apply = (input: string) => stave.run(['apply', '-f', '-', '--yes', '--wait'], { input });
    const contradicting = file(group('a', 2), group('b', 4));
    const { code, err } = await apply(contradicting);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('/clusters/0/nodeGroups/1/flavor: medium has 4 CPUs here'),
    ]);
    expect(err).toContain('but 2 CPUs at /clusters/0/nodeGroups/0/flavor');
    expect((await stave.run(['c', 'get', name])).code).toBe(1);
    expect((await apply(file(group('a', 2)))).code).toBe(0);
    const flavor = '{"name":"medium","cpus":4,"memoryMb":1024}';
    const later = ['--set', 'role=worker', '--set', 'count=1', '--set', `flavor=${flavor}`, '--wait'];
    expect((await stave.run(['ng', 'create', `${name}/b`, ...later])).code).toBe(0);
    expect(await stave.run(['apply', '-f', '-', '--plan', '--exit-code'], { input: contradicting })).toMatchObject({
      code: 0,
    });
    expect((await apply(file(group('a', 8), group('b', 4)))).code).toBe(2);
  });

  it('a policy is attached to a node group that the same file creates', async () => {
    const name = uniqueName('fleet');
    const group = { name: 'w', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 512 } };
    const policies = [{ name: `${name}-p`, type: 'deletion', properties: { criteria: 'oldest' } }];
    const nodeGroups = [{ ...group, policies: [{ policy: `${name}-p` }] }];
    const input = JSON.stringify({ policies, clusters: [{ name, driver: 'fake', nodeGroups }] });
    expect(await stave.run(['apply', '-f', '-', '--yes'], { input })).toMatchObject({ code: 0 });
    expect((await stave.run(['apply', '-f', '-', '--plan', '--exit-code'], { input })).code).toBe(0);
    expect((await stave.run(['export', name])).out).toContain(`- policy: ${name}-p`);
  });
});
