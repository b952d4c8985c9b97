import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a driver directory with this driver under another version, for tests with several versions. Returns the directory. */
export async function makeFakeVersion(directory: string, version: string, compatibleFrom: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(__dirname, '..', '..', 'driver.manifest.json'), 'utf8'));
  await mkdir(directory, { recursive: true });
  const changed = { ...(manifest instanceof Object ? manifest : {}), version, compatibleFrom };
  await writeFile(join(directory, 'driver.manifest.json'), JSON.stringify(changed, null, 2));
  const paths = [join(__dirname, '..', '..')];
  const main = `require(require.resolve('@stave/driver-fake', { paths: ${JSON.stringify(paths)} }))`;
  await writeFile(join(directory, 'driver.js'), `module.exports = ${main};\n`);
  return directory;
}
