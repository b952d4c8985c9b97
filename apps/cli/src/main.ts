import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { run } from './run.js';
import type { Terminal } from './terminal.js';

const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort(new Error('interrupted')));
// a reader such as head that has seen enough ends the command without a message
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
  throw error;
});

const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
const terminal: Terminal = {
  env: process.env,
  cwd: process.cwd(),
  checkout: fileURLToPath(new URL('../../..', import.meta.url)),
  interactive: process.stdout.isTTY === true,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  out: written => void process.stdout.write(written),
  err: written => void process.stderr.write(written),
  drained: () =>
    process.stdout.writableNeedDrain
      ? new Promise(resolve => process.stdout.once('drain', resolve))
      : Promise.resolve(),
  readInput: () => text(process.stdin),
  signal: interruption.signal,
};
process.exitCode = await run(process.argv.slice(2), terminal, version);
