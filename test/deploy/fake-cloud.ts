import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { accepts, freePort, repositoryRoot } from '@stave/testing';
import { ManagedProcess } from '../distributed/managed-process.js';

/** Starts a fake cloud in a process of its own. */
export async function makeFakeCloud(directory: string): Promise<{ readonly url: string; stop(): Promise<unknown> }> {
  await mkdir(directory, { recursive: true });
  const port = await freePort();
  const cloud = new ManagedProcess('fake-cloud', {
    entry: join(repositoryRoot(), 'libs/drivers/fake/dist/fake-cloud.main.js'),
    env: { DATA_DIR: directory, HOST: '127.0.0.1', PORT: String(port) },
    cwd: directory,
    logFile: join(directory, 'log'),
    ready: () => accepts(port),
  });
  await cloud.start();
  return { url: `http://127.0.0.1:${port}`, stop: () => cloud.stop() };
}
