import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../manifest/message-of.js';
import { loadDrivers } from '../../registry/load-drivers.js';
import { imageFolderResults } from './image-folder.js';
import { conformanceReport } from './report.js';
import { silentLogger } from '../silent-logger.js';
import { runKit } from './run-kit.js';

interface DriverCheck {
  readonly ok: boolean;
  /** The report for the author of the driver. */
  readonly text: string;
}

/**
 * Builds a driver directory that has a `tsconfig.json`, loads it as a conductor does, and runs the conformance kit on it. `loadOnly`: without
 * the kit, for which the infrastructure must be there.
 */
export async function checkDriver(path: string, { loadOnly = false } = {}): Promise<DriverCheck> {
  const directory = resolve(path);
  if (!existsSync(directory)) return failed(`the directory ${directory} does not exist`);
  const compiled = build(directory);
  if (compiled !== undefined) return failed(`the driver does not compile:\n${compiled}`);
  const { drivers, refused } = await loadDrivers({ directories: [directory], base: directory, log: silentLogger });
  const [loaded] = drivers;
  if (!loaded) return failed(`a conductor would refuse the driver: ${refused.map(({ reason }) => reason).join('; ')}`);
  const { manifest } = loaded;
  const name = `${manifest.name}@${manifest.version}`;
  const declared = manifest.capabilities.join(', ') || 'none';
  const head = `${name}: the manifest is valid and the main module loads; declared capabilities: ${declared}`;
  if (loadOnly) return { ok: true, text: head };
  try {
    const results = [...imageFolderResults(directory), ...(await runKit(loaded.directory, manifest))];
    return { ok: results.every(({ passed }) => passed), text: `${head}\n${conformanceReport(name, results)}` };
  } catch (cause) {
    return failed(`${head}\nthe conformance kit could not run: ${messageOf(cause)}`);
  }
}

const failed = (text: string): DriverCheck => ({ ok: false, text: `${text}\n` });

/** Returns the errors of the compiler; undefined when there are none, or nothing to compile. */
function build(directory: string): string | undefined {
  if (!existsSync(join(directory, 'tsconfig.json'))) return undefined;
  const compiler = join(dirname(createRequire(__filename).resolve('ts7/package.json')), 'bin', 'tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-b', directory], { encoding: 'utf8' });
  return status === 0 ? undefined : `${stdout}${stderr}`;
}
