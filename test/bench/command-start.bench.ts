import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';
import { mustBe, report, run } from './bench-report.js';

const ROUNDS = 15;
const bundle = join(repositoryRoot(), 'apps/cli/dist/bundle/stave.mjs');

/** The command lines that are measured, with the exit code that each must have. None asks the API. */
const lines: readonly (readonly [string, readonly string[], number])[] = [
  ['stave --version', ['--version'], 0],
  ['stave clusters list', ['clusters', 'list', '-o', 'none'], 2],
  ['stave wait', ['wait'], 2],
  ['stave --help, which lists all commands', ['--help'], 0],
];

/** Runs one Node.js and returns the milliseconds of user CPU time that it says it took. */
function userMs(preload: string, args: readonly string[], expected: number): number {
  const { status, output } = spawnSync(process.execPath, ['-r', preload, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  mustBe(status === expected, `${args.join(' ')} ended with ${status}; npm run build:stave makes the bundle`);
  return Number(output[3]) / 1000;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Prints what a start of the bundled command line costs against a start of Node.js alone; the runs alternate, since the machine is shared. */
async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'stave-bench-'));
  const [preload, empty] = [join(directory, 'report.cjs'), join(directory, 'empty.cjs')];
  writeFileSync(
    preload,
    "process.on('exit', () => require('node:fs').writeSync(3, String(process.cpuUsage().user)));\n",
  );
  writeFileSync(empty, '');
  const bare: number[] = [];
  const taken = lines.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(userMs(preload, [empty], 0));
    lines.forEach(([, args, code], index) => taken[index]!.push(userMs(preload, [bundle, ...args], code)));
  }
  rmSync(directory, { recursive: true });
  report(
    'command-start',
    'the bundle of npm run build:stave; user CPU time, median',
    { rounds: ROUNDS },
    lines.map(([figure], index) => ({
      figure,
      value: median(taken[index]!),
      unit: 'ms',
      baseline: median(bare),
      ...(index < 3 && { target: '≤ 1.5 × bare Node.js' }),
    })),
  );
}

run(main);
