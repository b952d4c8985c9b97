import { describeOn, uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { createCluster } from './created-cluster.js';
import { StaveCommand } from './stave-command.js';
import { missingProgram, TmuxWindow } from './tmux-window.js';

jest.setTimeout(300_000);

const noTmux = missingProgram('tmux', '-V');

let stack: EmbeddedStack;
let stave: StaveCommand;
let cluster: string;
beforeAll(async () => {
  if (noTmux !== undefined) return;
  stack = await EmbeddedStack.start();
  stave = await StaveCommand.at(stack.url, stack.adminKey);
  cluster = await createCluster(stave, 1);
});
afterAll(async () => {
  await stave?.close();
  await stack?.close();
});

/** Opens a window with a shell, does something in it and closes it. */
async function inShell(shell: string, work: (window: TmuxWindow) => Promise<void>): Promise<void> {
  // a busy machine needs longer than a user waits
  const own = { STAVE_URL: stack.url, STAVE_TOKEN: stack.adminKey, STAVE_COMPLETION_TIMEOUT: '60s' };
  const window = await TmuxWindow.open(shell, 140, own, stave.home);
  try {
    await work(window);
  } finally {
    await window.close();
  }
}

const shells = [
  ['bash', 'bash --noprofile --norc', 'eval "$(stave completion bash)"'],
  ['zsh', 'zsh -f', 'autoload -Uz compinit; compinit -D; eval "$(stave completion zsh)"'],
] as const;

describe.each(shells)('at a prompt of %s', (name, shell, setUp) => {
  describeOn(noTmux ?? missingProgram(name), 'Tab', () => {
    it('completes a noun, a verb, a cluster and the group inside it, and the line runs', () =>
      inShell(shell, async window => {
        expect((await window.command(setUp)).code).toBe(0);
        await window.write('stave node-groups g');
        await window.press('Tab');
        await window.until(/stave node-groups get$/m);
        await window.write(cluster.slice(0, -2));
        await window.press('Tab');
        await window.until(new RegExp(`stave node-groups get ${cluster}/$`, 'm'));
        await window.write('wo');
        await window.press('Tab');
        await window.until(new RegExp(`stave node-groups get ${cluster}/workers\\b`, 'm'));
        await window.write(' -o name');
        await window.press('Enter');
        await window.until(new RegExp(`^${cluster}/workers$`, 'm'));
        expect(await window.prompt()).toBe(0);
      }));

    it('shows what a word can become', () =>
      inShell(shell, async window => {
        expect((await window.command(setUp)).code).toBe(0);
        await window.write('stave cluster');
        await window.press('Tab', 'Tab');
        await window.until(/^cluster-templates +clusters/m);
      }));
  });
});

describeOn(noTmux, 'stave logs in a terminal', () => {
  it('-f shows new lines as they are written, and ends by Ctrl-C', () =>
    inShell('bash --noprofile --norc', async window => {
      const [container, profile] = [uniqueName('ct'), uniqueName('p')];
      const size = ['--set', 'resources.cpus=0.1', '--set', 'resources.memoryMb=64'];
      const made = ['cp', 'create', profile, '--set', 'image=web:1', '--set', `hostCluster=${cluster}`, ...size];
      expect((await stave.run(made)).code).toBe(0);
      expect((await stave.run(['ct', 'create', container, '--set', `profile=${profile}`, '--wait'])).code).toBe(0);
      await window.type(`clear; stave logs -f ${container}`);
      await window.until(/ started from /);
      expect((await stave.run(['ct', 'restart', container, '--wait'])).code).toBe(0);
      await window.until(/ restarted \(1\)/);
      await window.press('C-c');
      expect(await window.prompt()).toBe(130);
    }));
});
