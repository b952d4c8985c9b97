import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOn, uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { createCluster } from './created-cluster.js';
import { StaveCommand } from './stave-command.js';
import { missingProgram, TmuxWindow } from './tmux-window.js';

jest.setTimeout(300_000);

const BASH = 'bash --noprofile --norc';
const noTmux = missingProgram('tmux', '-V');
const ESCAPE = '\u001b';

let stack: EmbeddedStack;
let stave: StaveCommand;
let cluster: string;
beforeAll(async () => {
  if (noTmux !== undefined) return;
  stack = await EmbeddedStack.start();
  stave = await StaveCommand.at(stack.url, stack.adminKey);
  const zones = JSON.stringify([...'abcdefgh'].map(zone => `zone-${zone}-of-the-site`));
  cluster = await createCluster(stave, 1, `nodeGroups.0.zones=${zones}`);
});
afterAll(async () => {
  await stave?.close();
  await stack?.close();
});

/** Opens a window, does something in it and closes it. */
async function inWindow(
  work: (window: TmuxWindow) => Promise<void>,
  { columns = 140 }: { columns?: number } = {},
): Promise<void> {
  const own = { STAVE_URL: stack.url, STAVE_TOKEN: stack.adminKey };
  const window = await TmuxWindow.open(BASH, columns, own, stave.home);
  try {
    await work(window);
  } finally {
    await window.close();
  }
}

/** The lines of a table; a line that is wider than the window would have become two. */
const rowsOf = (screen: string): string[] => screen.split('\n').filter(line => /^(NAME|workers)\b/.test(line));

describeOn(noTmux, 'stave in a terminal', () => {
  it.each([80, 140])('a table fits a window of %d columns, with its first column complete', columns =>
    inWindow(
      async window => {
        const { code, screen } = await window.command(`stave ng list --cluster ${cluster}`);
        expect([code, rowsOf(screen)]).toEqual([
          0,
          [expect.stringMatching(/^NAME +/), expect.stringMatching(/^workers +.*…/)],
        ]);
        // the table, and the prompt after it
        expect(screen.split('\n')).toHaveLength(3);
      },
      { columns },
    ),
  );

  it('a status is coloured, but not with NO_COLOR, not with --no-color, and not for a pipe', () =>
    inWindow(async window => {
      const list = `stave clusters list --name ${cluster}`;
      expect((await window.command(list)).colored).toContain(`${ESCAPE}[32mACTIVE`);
      for (const plain of [`NO_COLOR=1 ${list}`, `${list} --no-color`, `${list} | cat`]) {
        const { code, colored } = await window.command(plain);
        expect([plain, code]).toEqual([plain, 0]);
        expect(colored).toMatch(/ACTIVE/);
        expect(colored).not.toContain(ESCAPE);
      }
    }));

  it('top shows what changes, follows the width of its window, and ends by Ctrl-C', () =>
    inWindow(async window => {
      const reason = `the ${'very '.repeat(20)}long reason`;
      await window.type('clear; stave top --interval 500ms');
      await window.until(/^Clusters: \d+ ACTIVE[^]*^Conductors\n/m);
      const failing = uniqueName('fails');
      const options = JSON.stringify({ refuse: { 'cluster.create': 1 } });
      const group = ['nodeGroups.0.role=worker', 'nodeGroups.0.name=w', 'nodeGroups.0.flavor={"cpus":1,"memoryMb":64}'];
      const members = ['driver=fake', `options=${options}`, `description=${reason}`, ...group];
      const sets = members.flatMap(member => ['--set', member]);
      expect((await stave.run(['c', 'create', failing, ...sets])).code).toBe(0);
      await window.until(new RegExp(`^What is wrong\\n${failing} +FAILED`, 'm'));
      expect(await window.screen('-e')).toContain(`${ESCAPE}[31mFAILED`);
      await window.resize(60);
      const narrow = await window.until(new RegExp(`^${failing} +FAILED .*…$`, 'm'));
      expect(Math.max(...narrow.split('\n').map(line => line.length))).toBeLessThanOrEqual(60);
      await window.press('C-c');
      expect(await window.prompt()).toBe(0);
    }));

  it('a wait that is ended by Ctrl-C leaves the operation, and says how to follow it', () =>
    inWindow(async window => {
      const slow = uniqueName('slow');
      const group = 'nodeGroups=[{"role":"worker","name":"w","flavor":{"cpus":1,"memoryMb":64}}]';
      const options = 'options.latencyMs=600000';
      await window.type(`clear; stave c create ${slow} --set driver=fake --set '${group}' --set ${options} --wait`);
      await window.until(new RegExp(`^cluster ${slow} is CREATING$`, 'm'));
      await window.press('C-c');
      expect(await window.prompt()).toBe(130);
      expect(await window.screen()).toMatch(/Follow it: stave operations wait c-/);
      expect(await stave.json('c', 'get', slow)).toMatchObject({ status: 'CREATING' });
    }));

  it('a deletion and a fleet file ask first, and change nothing without a yes', () =>
    inWindow(async window => {
      await window.type(`clear; stave c delete ${cluster}`);
      await window.until(/\[y\/N\]/);
      await window.type('n');
      expect(await window.prompt()).toBe(2);
      expect(await window.screen()).toMatch(/Nothing was changed\./);
      const name = uniqueName('fleet');
      const group = { name: 'workers', role: 'worker', count: 1, flavor: { cpus: 1, memoryMb: 64 } };
      const file = { clusters: [{ name, driver: 'fake', nodeGroups: [group] }] };
      writeFileSync(join(stave.home, 'fleet.json'), JSON.stringify(file));
      await window.type('clear; stave apply -f fleet.json --wait');
      const asked = await window.until(/Make these 1 changes\? \[y\/N\]/);
      expect(asked).toMatch(new RegExp(`\\+ cluster ${name}`));
      expect((await stave.run(['c', 'get', name])).code).toBe(1);
      await window.type('y');
      expect(await window.prompt()).toBe(0);
      expect(await stave.json('c', 'get', name)).toMatchObject({ status: 'ACTIVE' });
    }));

  it('a plan is shown in the window and applied from its last line', () =>
    inWindow(async window => {
      const { screen } = await window.command(`stave ng resize ${cluster}/workers +1 --plan`);
      const [, apply = ''] = /^(stave apply p\d+)$/m.exec(screen) ?? [];
      expect((await window.command(`${apply} --wait`)).code).toBe(0);
      expect(await stave.json('ng', 'get', `${cluster}/workers`)).toMatchObject({ count: 2, status: 'ACTIVE' });
    }));
});
