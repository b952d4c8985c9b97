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
});
