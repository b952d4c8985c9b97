import { resolve } from 'node:path';
import type { FakeCloud } from './cloud/fake-cloud.port.js';
import { InProcessCloud } from './cloud/in-process-cloud.js';

interface Shared {
  readonly cloud: Promise<InProcessCloud>;
  users: number;
}

declare global {
  var staveFakeClouds: Map<string, Shared> | undefined;
}

/**
 * Opens the in-process cloud of a data directory. All drivers of this process share it, also several versions of this driver; it is closed
 * when the last of them is closed.
 */
export async function openSharedCloud(dataDir: string): Promise<FakeCloud> {
  const clouds = (globalThis.staveFakeClouds ??= new Map<string, Shared>());
  const key = resolve(dataDir);
  const shared = clouds.get(key) ?? { cloud: InProcessCloud.open(key), users: 0 };
  clouds.set(key, shared);
  shared.users += 1;
  const cloud = await shared.cloud.catch((cause: unknown) => {
    clouds.delete(key);
    throw cause;
  });
  let isReleased = false;
  const close = async (): Promise<void> => {
    if (isReleased) return;
    isReleased = true;
    shared.users -= 1;
    if (shared.users > 0) return;
    clouds.delete(key);
    await cloud.close();
  };
  return { call: request => cloud.call(request), identity: () => cloud.identity(), close };
}
