import { createRequire } from 'node:module';
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

/** Bundles contain their version, and have no checkout beside them. */
declare const BUNDLED_VERSION: string | undefined;
const isBundled = typeof BUNDLED_VERSION === 'string';
const versionOfPackage = (): string =>
  (createRequire(import.meta.url)('../package.json') as { readonly version: string }).version;
const version = isBundled ? BUNDLED_VERSION : versionOfPackage();
const terminal: Terminal = {
  env: process.env,
  cwd: process.cwd(),
  checkout: isBundled ? process.cwd() : fileURLToPath(new URL('../../..', import.meta.url)),
  interactive: process.stdout.isTTY === true,
  // a window can be resized while a command runs
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  out: written => void process.stdout.write(written),
  err: written => void process.stderr.write(written),
  drained: () =>
    process.stdout.writableNeedDrain
      ? new Promise(resolve => process.stdout.once('drain', resolve))
      : Promise.resolve(),
  readInput: async () => (await import('node:stream/consumers')).text(process.stdin),
  signal: interruption.signal,
};
void run(process.argv.slice(2), terminal, version).then(code => {
  process.exitCode = code;
});
