import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { createCluster, creation } from './created-cluster.js';
import { StaveCommand } from './stave-command.js';

jest.setTimeout(240_000);

describe('stave against the product', () => {
  let stack: EmbeddedStack;
  let stave: StaveCommand;
  beforeAll(async () => {
    stack = await EmbeddedStack.start();
    stave = await StaveCommand.at(stack.url, stack.adminKey);
  });
  /** An address at which nobody listens. */
  let nobody: string;
  beforeAll(async () => void (nobody = `http://127.0.0.1:${await freePort()}`));
  afterAll(async () => {
    await stave?.close();
    await stack?.close();
  });

  const created = (count?: number, ...more: string[]): Promise<string> => createCluster(stave, count, ...more);

  it('a cluster is created, awaited, listed, resized and deleted', async () => {
    const name = await created();
    const listed = await stave.run(['clusters', 'list', '--name', name]);
    expect(listed.out).toMatch(/^NAME +STATUS +NODES/);
    expect(listed.out).toMatch(new RegExp(`^${name} +ACTIVE +2/2`, 'm'));
    expect((await stave.run(['ng', 'resize', `${name}/workers`, '+1', '--wait'])).code).toBe(0);
    expect((await stave.run(['ng', 'resize', `${name}/workers`, '-2', '--wait'])).code).toBe(0);
    expect(await stave.json('ng', 'get', `${name}/workers`)).toMatchObject({ count: 1, status: 'ACTIVE' });
    const unasked = await stave.run(['c', 'delete', name]);
    expect(unasked).toMatchObject({ code: 2, out: '' });
    expect((await stave.run(['c', 'delete', name, '--yes', '--wait'])).code).toBe(0);
    expect((await stave.run(['c', 'get', name])).code).toBe(1);
  });

  it('a group is resized by a share, whose minus is that of no option', async () => {
    const group = `${await created(2)}/workers`;
    const planned = await stave.run(['ng', 'resize', group, '-1%', '--plan']);
    expect(planned).toMatchObject({ code: 0, out: expect.stringMatching(/^stave apply p\d+$/m) as unknown });
    expect((await stave.run(['ng', 'resize', group, '-50%', '--wait'])).code).toBe(0);
    expect(await stave.json('ng', 'get', group)).toMatchObject({ count: 1 });
    const unknown = await stave.run(['ng', 'resize', group, '-x%']);
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("unknown option '-x%'") as unknown });
  });

  it('a plan is kept, applied exactly once, and refused when the state has changed', async () => {
    const name = await created();
    const update = ['ng', 'update', `${name}/workers`, '--set', 'flavor.cpus=4', '--plan'];
    const shown = await stave.run(update);
    expect(shown.out).toMatch(/flavor\.cpus +2 → 4/);
    expect(shown.out).toMatch(/± workers-0 → workers-2/);
    const [, first = ''] = /^stave apply (p\d+)$/m.exec(shown.out) ?? [];
    const second = await stave.json<{ id: string; apply: string; planToken: string }>(...update);
    expect(second).toMatchObject({ apply: `stave apply ${second.id}`, planToken: expect.any(String) as unknown });
    expect((await stave.run([...update, '--exit-code'])).code).toBe(10);
    expect((await stave.run(['apply', first, '--wait'])).code).toBe(0);
    expect((await stave.run(['apply', first])).code).toBe(0);
    const stale = await stave.run(['apply', second.id]);
    expect(stale.code).toBe(4);
    expect(stale.err).toMatch(/plan-stale/);
    expect(await stave.json('ng', 'get', `${name}/workers`)).toMatchObject({ revision: 2, flavor: { cpus: 4 } });
  });

  it('a refusal names every wrong member with the flag that sets it, and has exit code 1', async () => {
    const refused = await stave.run(creation('-', -1));
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/--set name: /);
    expect(refused.err).toMatch(/--set nodeGroups\.0\.count: /);
    expect(refused.err).toMatch(/correlation id /);
  });

  it('usage, another revision and a missing sign-in have exit codes of their own', async () => {
    const name = await created(1);
    expect((await stave.run(['clusters', 'lst'])).code).toBe(2);
    expect((await stave.run(['c', 'list', '-o', 'xml'])).code).toBe(2);
    const moved = ['c', 'update', name, '--set', 'description=x', '--if-match', '99'];
    expect((await stave.run(moved)).code).toBe(4);
    expect((await stave.run(['c', 'list'], { env: { STAVE_TOKEN: 'stv_wrong' } })).code).toBe(7);
    expect((await stave.run(['c', 'list'], { env: { STAVE_URL: nobody } })).code).toBe(1);
  });

  it('a wait ends with 0 for ACTIVE, 5 for FAILED, and 6 when the time is over', async () => {
    expect((await stave.run(['wait', await created(1), '--timeout', '60s'])).code).toBe(0);
    const failing = uniqueName('fails');
    await stave.run(creation(failing, 1, 'options.refuse={"cluster.create":1}'));
    const failed = await stave.run(['wait', failing, '--timeout', '120s']);
    expect(failed).toMatchObject({ code: 5 });
    const slow = uniqueName('slow');
    await stave.run(creation(slow, 1, 'options.latencyMs=600000'));
    const late = await stave.run(['wait', slow, '--timeout', '1s']);
    expect(late.code).toBe(6);
    expect(late.err).toMatch(/operation .* continues/);
  });

  it('Ctrl-C ends a wait with 130; the operation continues', async () => {
    const name = uniqueName('left');
    await stave.run(creation(name, 1, 'options.latencyMs=600000'));
    const child = stave.start('stave', ['wait', name, '--debug']);
    // the command has asked the API, so that it listens for the signal
    await once(child.stderr!, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(await stave.json('c', 'get', name)).toMatchObject({ status: 'CREATING' });
  });

  it('why shows the scores of a placed container, and what would help one that waits', async () => {
    const name = await created();
    const container = async (cpus: number): Promise<string> => {
      const each = uniqueName('ct');
      const profile = ['cp', 'create', `${each}-p`, '--set', 'image=nginx:1', '--set', `hostCluster=${name}`];
      await stave.run([...profile, '--set', `resources.cpus=${cpus}`, '--set', 'resources.memoryMb=64']);
      await stave.run(['ct', 'create', each, '--set', `profile=${each}-p`]);
      return each;
    };
    const [placed, waiting] = [await container(1), await container(64)];
    expect((await stave.run(['ct', 'wait', placed, '--timeout', '60s'])).code).toBe(0);
    expect((await stave.run(['ct', 'why', placed])).out).toMatch(/workers-\d +[\d.]+ .* chosen/);
    const explained = await stave.run(['why', waiting]);
    expect(explained.out).toMatch(/INSUFFICIENT_ROOM/);
    expect(explained.out).toMatch(/What would help\n {2}\S/);
  });

  it('why and stats find a node group by its cluster, too', async () => {
    const group = `${await created(1)}/workers`;
    for (const command of [['why'], ['ng', 'why']]) {
      const { code, out } = await stave.run([...command, group]);
      expect([code, out]).toEqual([0, expect.stringMatching(/^workers is ACTIVE\nIt keeps its size of 1 node, .*\n$/)]);
    }
    expect(await stave.json('ng', 'stats', group)).toHaveProperty('nodes.units');
  });

  it('a machine is awaited until it is in service, or in quarantine', async () => {
    const name = uniqueName('m');
    const machine = [`engine.url=fake://${name}?dirty=true`, `labels.pool=${name}`];
    const members = machine.flatMap(member => ['--set', member]);
    expect((await stave.run(['machines', 'create', name, ...members, '--wait'])).code).toBe(0);
    const awaited = async (): Promise<[number | null, string]> => {
      const { code, out, err } = await stave.run(['m', 'wait', name, '--timeout', '60s']);
      return [code, out + err];
    };
    expect(await awaited()).toEqual([0, `${name} is AVAILABLE\n`]);
    const cluster = await created(1, `nodeGroups.0.machineSelector={"pool":"${name}"}`);
    expect(await awaited()).toEqual([0, `${name} is CLAIMED\n`]);
    expect((await stave.run(['c', 'delete', cluster, '--yes', '--wait'])).code).toBe(0);
    expect(await awaited()).toEqual([5, expect.stringContaining(`${name} is QUARANTINED: not as before its node`)]);
    const { out } = await stave.run(['doctor']);
    expect(out).toMatch(
      new RegExp(`^BAD +machines are well: 1: ${name} QUARANTINED: .*\\n +See .* stave machines history`, 'm'),
    );
    expect((await stave.run(['m', 'delete', name, '--yes'])).code).toBe(0);
  });

  it('history, events, differences and past states are shown', async () => {
    const name = await created(1);
    await stave.run(['c', 'update', name, '--set', 'description=second']);
    expect((await stave.run(['history', name])).out).toMatch(/cluster\.created\.v1 .*\n(.*\n)*.*cluster\.updated\.v1/);
    expect((await stave.run(['history', name, '--diff'])).out).toMatch(/\/description +– → second/);
    expect(await stave.json('c', 'get', name, '--at', '1')).not.toHaveProperty('description', 'second');
    const { out } = await stave.run(['events', '--since', '1h', '--cluster', name, '-o', 'jsonl']);
    const shown = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { readonly type: string; readonly time: string });
    expect(shown.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['stave.cluster.created.v1', 'stave.cluster.updated.v1']),
    );
    const until = shown.find(({ type }) => type === 'stave.cluster.updated.v1')?.time ?? '';
    const first = await stave.run(['events', '--since', 'start', '--until', until, '--cluster', name, '-o', 'jsonl']);
    expect(first.out).toContain('stave.cluster.created.v1');
    expect(first.out).not.toContain('stave.cluster.updated.v1');
    expect((await stave.run(['events', '--follow', '--until', until])).code).toBe(2);
  });

  it('events are followed until the reader has seen enough', async () => {
    const child = stave.start('stave', ['events', '--follow', '--since', 'start', '-o', 'jsonl']);
    const [first] = (await once(child.stdout!, 'data')) as [Buffer];
    expect(JSON.parse(first.toString().split('\n')[0]!)).toMatchObject({ specversion: '1.0' });
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('a key that works is stored for its owner only, shown nowhere, and used', async () => {
    const key = await stave.json<{ key: string; id: string }>(
      'keys',
      'create',
      '--set',
      'project=default',
      '--set',
      'role=reader',
    );
    const env = { STAVE_TOKEN: '', STAVE_URL: '' };
    const login = await stave.run(['login', '--url', stack.url, '--token-stdin', '--name', 'reader'], {
      env,
      input: `${key.key}\n`,
    });
    expect(login).toMatchObject({ code: 0 });
    const file = join(stave.home, '.config', 'stave', 'profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const shown = await stave.run(['profiles', 'list', '-o', 'json'], { env });
    const traced = await stave.run(['whoami', '--debug'], { env: {}, input: '' });
    const stored = await stave.run(['whoami', '--profile', 'reader', '--debug'], { env: { STAVE_TOKEN: '' } });
    for (const { out, err } of [login, shown, traced, stored]) {
      expect(out + err).not.toContain(key.key);
      expect(out + err).not.toContain(stack.adminKey);
    }
    expect(traced.err).toMatch(/GET .*\/v1\/whoami 200/);
    expect(readFileSync(file, 'utf8')).toContain(key.key);
  });

  it('doctor finds nothing wrong, and says what to do when the API is away or the key is wrong', async () => {
    const away = await stave.run(['doctor'], { env: { STAVE_URL: nobody } });
    expect(away.code).toBe(1);
    expect(away.out).toMatch(/BAD +the API answers: .*ECONNREFUSED\n +Start the product/);
    const wrong = await stave.run(['doctor'], { env: { STAVE_TOKEN: 'stv_wrong' } });
    expect(wrong.out).toMatch(/ok +the API answers.*\nBAD +you are signed in/);
    const { findings } = JSON.parse((await stave.run(['doctor', '-o', 'json'])).out) as {
      findings: { check: string; ok: boolean }[];
    };
    expect(findings.slice(0, 4)).toEqual(
      findings.slice(0, 4).map(({ check }) => expect.objectContaining({ check, ok: true }) as unknown),
    );
    expect(findings).toHaveLength(9);
  });

  it('a table on a terminal fits its width; through a pipe it is complete', async () => {
    const name = await created(
      1,
      `nodeGroups.0.zones=${JSON.stringify([...'abcdefgh'].map(zone => `zone-${zone}-of-the-site`))}`,
    );
    const table = ['ng', 'list', '--cluster', name];
    const piped = await stave.run(table);
    expect(Math.max(...piped.out.split('\n').map(line => line.length))).toBeGreaterThan(120);
    for (const width of [80, 120]) {
      const command = `stty cols ${width}; stave ${table.join(' ')}`;
      const { out } = await stave.runProgram('script', ['-qec', command, '/dev/null'], {
        env: { NO_COLOR: '1', TERM: 'xterm' },
      });
      const lines = out.split(/\r?\n/).filter(line => /^(NAME|workers) /.test(line));
      expect(lines).toHaveLength(2);
      expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(width);
    }
  });
});
