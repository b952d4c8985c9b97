import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DriverManifest } from '../../driver.js';

/** The result of one check of the conformance kit. */
export interface CheckResult {
  /** The part of the contract, such as `cluster` or `node`. */
  readonly part: string;
  readonly title: string;
  readonly passed: boolean;
  /** The first failure, as Jest reports it. */
  readonly failure?: string | undefined;
}

interface JestReport {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Runs the conformance kit in Jest on a driver. Throws when the kit cannot run, for example because the driver's module throws. */
export async function runKit(directory: string, manifest: DriverManifest): Promise<readonly CheckResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-driver-check-'));
  try {
    const outputFile = join(folder, 'report.json');
    await jest(['--config', JSON.stringify(config(directory, manifest)), '--json', `--outputFile=${outputFile}`]);
    const report: JestReport = JSON.parse(await readFile(outputFile, 'utf8'));
    const assertions = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const results = assertions.map(({ ancestorTitles, title, status, failureMessages: [failure] }) => {
      return { part: ancestorTitles.at(-1) ?? '', title, passed: status === 'passed', failure };
    });
    if (results.length === 0)
      throw new Error(report.testResults[0]?.message ?? 'the conformance kit registered no checks');
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const kit = join(__dirname, '..', 'conformance');

function config(directory: string, manifest: DriverManifest): object {
  return {
    rootDir: kit,
    testMatch: [join(kit, 'conformance.main.js')],
    testEnvironment: 'node',
    transform: {},
    haste: { forceNodeFilesystemAPI: true },
    globals: { STAVE_DRIVER_CHECKED: { directory, manifest } },
  };
}

async function jest(args: readonly string[]): Promise<void> {
  const bin = join(dirname(createRequire(__filename).resolve('jest/package.json')), 'bin', 'jest.js');
  const child = spawn(process.execPath, [bin, '--forceExit', '--runInBand', '--watchman=false', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (text: Buffer) => (output = (output + text.toString()).slice(-4_000)));
  await once(child, 'exit');
  if (child.exitCode !== 0 && child.exitCode !== 1) throw new Error(`Jest exited with ${child.exitCode}: ${output}`);
}
