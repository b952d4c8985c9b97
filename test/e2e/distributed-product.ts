import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDistributed, type DistributedOptions } from '../distributed/stack.js';
import type { Stack } from './stack.js';

/**
 * Starts the product in separate processes for the end-to-end suites, in a temporary folder unless one is given. Its `close`
 * calls `stopped` when the processes have ended, before it removes the folder.
 */
export async function startDistributedProduct(
  options: Partial<DistributedOptions> = {},
  stopped: () => Promise<void> = async () => undefined,
): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'stave-e2e-distributed-')));
  const conductors = [
    { id: 'one', group: '' },
    { id: 'two', group: '' },
    { id: 'three', group: '' },
    { id: 'four', group: 'site-b' },
  ];
  const env = { HOOK_HOSTS: '127.0.0.1', ...options.env };
  const given = { conductors, driversEnabled: ['fake', 'swarm_docker'], ...options, env };
  const stack = await startDistributed({ ...given, dataDir });
  return {
    url: stack.url,
    adminKey: stack.adminKey,
    journalPath: stack.journalPath,
    close: async () => {
      await stack.close();
      await stopped();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
