import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@stave/testing';

const run = promisify(execFile);
const root = repositoryRoot();

describe('the command line for machines without a checkout', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-bundle-'));
    const build = join(root, 'scripts/build-stave.mjs');
    await run(process.execPath, [build, '--executable', '--to', join(directory, 'made')], { cwd: root });
  }, 120_000);
  afterAll(() => rm(directory, { recursive: true }));

  /** Runs a program in an empty environment outside of the checkout; resolves whatever its exit code is. */
  async function output(program: string, ...args: readonly string[]) {
    const options = { cwd: directory, env: { PATH: '/nowhere', HOME: directory, STAVE_URL: 'http://127.0.0.1:1' } };
    const { stdout, stderr, code } = await run(program, args, options).then(
      written => ({ ...written, code: 0 }),
      (error: { readonly stdout: string; readonly stderr: string; readonly code: number }) => error,
    );
    return { stdout, stderr, code };
  }
  const made = (name: string): string => join(directory, 'made', name);
  const programs: readonly (readonly [string, () => readonly [string, ...string[]]])[] = [
    ['the bundle', () => [process.execPath, made('stave.mjs')]],
    ['the executable', () => [made('stave')]],
  ];

  it('starts with at most 200 kB of code', async () => {
    expect((await stat(made('stave.mjs'))).size).toBeLessThanOrEqual(200_000);
  });

  it.each(programs)('%s shows its version and completes words', async (_title, program) => {
    const [first, ...rest] = program();
    expect(await output(first, ...rest, '--version')).toEqual({ stdout: '0.1.0\n', stderr: '', code: 0 });
    const { stdout, code } = await output(first, ...rest, 'completion', 'bash');
    expect([code, stdout]).toEqual([0, expect.stringContaining('complete')]);
  });

  it.each(programs)('%s reads YAML, and names what a file has wrong', async (_title, program) => {
    const [first, ...rest] = program();
    await writeFile(join(directory, 'fleet.yaml'), 'clusters:\n  - name: [\n');
    const { stderr, code } = await output(first, ...rest, 'apply', '-f', 'fleet.yaml');
    expect([code, stderr]).toEqual([2, expect.stringContaining('fleet.yaml is neither JSON nor YAML in line')]);
  });

  it.each(programs)('%s loads what writes YAML, and reports that no product answers', async (_title, program) => {
    const [first, ...rest] = program();
    const { stderr, code } = await output(first, ...rest, 'clusters', 'list', '-o', 'yaml');
    expect([code, stderr]).toEqual([1, expect.stringContaining('The API gave no answer')]);
  });
});
