import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { DriverLogger } from '../driver.js';
import { loadDrivers } from '../registry/load-drivers.js';
import { conformanceReport } from './report.js';
import { runKit } from './run-kit.js';

const silent: DriverLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export interface DriverCheck {
  readonly ok: boolean;
  /** For the author, in plain words. */
  readonly text: string;
}

/** Builds a driver directory where it has a `tsconfig.json`, loads it as a conductor would, and runs the conformance kit on it. */
export async function checkDriver(path: string): Promise<DriverCheck> {
  const directory = resolve(path);
  if (!existsSync(directory)) return failed(`there is no directory ${directory}`);
  const compiled = build(directory);
  if (compiled !== undefined) return failed(`it does not compile:\n${compiled}`);
  const { drivers, refused } = await loadDrivers({ directories: [directory], base: directory, log: silent });
  const [loaded] = drivers;
  if (!loaded) return failed(`a conductor would refuse it: ${refused.map(({ reason }) => reason).join('; ')}`);
  const { manifest } = loaded;
  const name = `${manifest.name}@${manifest.version}`;
  const head = `${name}: the manifest is right and the main module loads; it declares ${manifest.capabilities.join(', ') || 'no capability'}`;
  try {
    const results = await runKit(loaded.directory, manifest);
    return { ok: results.every(({ passed }) => passed), text: `${head}\n${conformanceReport(name, results)}` };
  } catch (cause) {
    return failed(`${head}\nthe kit could not run: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

const failed = (text: string): DriverCheck => ({ ok: false, text: `${text}\n` });

/** What the compiler has against it; undefined when nothing, or when there is nothing to compile. */
function build(directory: string): string | undefined {
  if (!existsSync(join(directory, 'tsconfig.json'))) return undefined;
  const compiler = join(dirname(createRequire(__filename).resolve('ts7/package.json')), 'bin', 'tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-b', directory], { encoding: 'utf8' });
  return status === 0 ? undefined : `${stdout}${stderr}`;
}

function nothing(): void {}
