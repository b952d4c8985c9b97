import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import type { ShellBlock } from './shell-blocks.js';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Runs the blocks in one shell, as a reader would paste them; rejects with the output and the failed line. */
export async function paste(
  blocks: readonly ShellBlock[],
  url: string,
  directory: string,
  timeoutMs = 240_000,
): Promise<string> {
  const parts = blocks.map(({ line, text }) => `echo "## line ${line}"\n${text.replaceAll(DEFAULT_URL, url)}`);
  const script = ['set -euo pipefail', ...parts].join('\n');
  // plans and profiles of the command line are kept in the home directory
  const path = [join(repositoryRoot(), 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, HOME: directory };
  const child = spawn('bash', ['-c', script], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the commands ended with ${code}:\n${output.slice(-3_000)}`);
  return output;
}
