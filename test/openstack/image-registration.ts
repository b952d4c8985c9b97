import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@stave/testing';

const run = promisify(execFile);

/** Runs `image/build.sh --register` of the driver in this folder on an image of this content, and returns the id of the image in Glance. */
export async function registerImage(
  folder: string,
  content: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stave-image-'));
  try {
    const file = join(directory, 'node.qcow2');
    await writeFile(file, content);
    const script = join(repositoryRoot(), 'libs', 'drivers', folder, 'image', 'build.sh');
    const { stdout } = await run(script, ['--register'], { env: { ...process.env, ...env, IMAGE_FILE: file } });
    return stdout.trim();
  } finally {
    await rm(directory, { recursive: true });
  }
}
