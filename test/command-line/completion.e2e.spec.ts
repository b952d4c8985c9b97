import { spawnSync } from 'node:child_process';
import { describeOn, freePort, uniqueName } from '@stave/testing';
import { EmbeddedStack } from '../e2e/stack.js';
import { StaveCommand } from './stave-command.js';

jest.setTimeout(240_000);

const missing = (shell: string): string | undefined =>
  spawnSync(shell, ['--version']).status === 0 ? undefined : `${shell} is not installed`;

let stack: EmbeddedStack;
let stave: StaveCommand;
const cluster = uniqueName('complete');
beforeAll(async () => {
  stack = await EmbeddedStack.start();
  stave = await StaveCommand.at(stack.url, stack.adminKey);
  const groups = ['--set', 'nodeGroups.0.role=worker', '--set', 'nodeGroups.0.name=workers'];
  const flavor = ['--set', 'nodeGroups.0.flavor={"cpus":1,"memoryMb":512}'];
  expect((await stave.run(['c', 'create', cluster, '--set', 'driver=fake', ...groups, ...flavor])).code).toBe(0);
});
afterAll(async () => {
  await stave?.close();
  await stack?.close();
});

/** A busy machine needs longer than a user waits. */
const patient = { STAVE_COMPLETION_TIMEOUT: '60s' };

describeOn(missing('bash'), 'completion in bash', () => {
  const complete = async (...words: string[]): Promise<string> => {
    const quoted = ['stave', ...words].map(word => `'${word}'`).join(' ');
    const script = `eval "$(stave completion bash)"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _stave; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await stave.runProgram('bash', ['-c', script], { env: patient })).out;
  };

  it('nouns, verbs and flags are completed', async () => {
    expect((await complete('clus')).split('\n')).toEqual(expect.arrayContaining(['clusters', 'cluster-templates']));
    expect((await complete('c', 'ge')).trim()).toBe('get');
    expect((await complete('c', 'get', '--pro')).split('\n')).toEqual(
      expect.arrayContaining(['--project', '--profile']),
    );
  });

  it('names of resources are completed, of node groups in their cluster', async () => {
    expect(await complete('clusters', 'get', cluster.slice(0, 9))).toContain(cluster);
    expect(await complete('ng', 'get', cluster)).toContain(`${cluster}/`);
    expect(await complete('ng', 'get', `${cluster}/wo`)).toContain(`${cluster}/workers`);
  });

  it('an API that cannot be reached delays nobody', async () => {
    const script =
      'eval "$(stave completion bash)"; COMP_WORDS=(stave c get x); COMP_CWORD=3; _stave; echo "${#COMPREPLY[@]}"';
    const { out, code } = await stave.runProgram('bash', ['-c', script], {
      env: { STAVE_URL: `http://127.0.0.1:${await freePort()}` },
    });
    expect({ out: out.trim(), code }).toEqual({ out: '0', code: 0 });
  });
});

describeOn(missing('zsh'), 'completion in zsh', () => {
  it('names are offered to the completion system', async () => {
    // these two exist at a prompt only
    const prompt = 'compdef() { }; compadd() { print -rl -- "${@:2}" }';
    const words = `words=(stave clusters get ${cluster.slice(0, 9)}); CURRENT=4`;
    const script = `${prompt}; eval "$(stave completion zsh)"; ${words}; _stave`;
    const { out } = await stave.runProgram('zsh', ['-f', '-c', script], { env: patient });
    expect(out.trim().split('\n')).toEqual([cluster]);
  });
});
