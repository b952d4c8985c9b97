import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { startEmbedded, type Stack } from '../e2e/stack.js';
import { shellBlocks, type ShellBlock } from './shell-blocks.js';

jest.setTimeout(300_000);

const root = repositoryRoot();
const DEFAULT_URL = 'http://127.0.0.1:8080';
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(name => join('docs', name)),
]
  .filter(name => name.endsWith('.md'))
  .map(name => ({ name, blocks: shellBlocks(readFileSync(join(root, name), 'utf8')) }))
  .filter(({ blocks }) => blocks.length > 0);

/** Runs the blocks in one shell, as a reader would paste them; rejects with the output and the failed line. */
async function paste(blocks: readonly ShellBlock[], url: string, directory: string): Promise<string> {
  const parts = blocks.map(({ line, text }) => `echo "## line ${line}"\n${text.replaceAll(DEFAULT_URL, url)}`);
  const script = ['set -euo pipefail', ...parts].join('\n');
  // plans and profiles of the command line are kept in the home directory
  const path = [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, HOME: directory };
  const child = spawn('bash', ['-c', script], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 240_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the commands ended with ${code}:\n${output.slice(-3_000)}`);
  return output;
}

it('the README and the tutorial are among the pages with commands', () => {
  expect(pages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['README.md', 'docs/tutorial/heal-a-cluster.md']),
  );
});

describe.each(pages)('the commands of $name', ({ blocks }) => {
  let stack: Stack | undefined;
  let directory: string;

  beforeAll(async () => {
    stack = await startEmbedded();
    directory = await mkdtemp(join(tmpdir(), 'stave-page-'));
    await mkdir(join(directory, 'data'));
    await writeFile(join(directory, 'data', 'admin.key'), stack.adminKey);
  });
  afterAll(async () => {
    await stack?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('the commands of the page run one after the other without an error', async () => {
    expect(await paste(blocks, stack?.url ?? '', directory)).toContain('## line');
  });
});
