import { resolve } from 'node:path';
import type { CloudReply, CloudRequest, FakeCloud } from './cloud/fake-cloud.port.js';
import { InProcessCloud } from './cloud/in-process-cloud.js';

interface Shared {
  readonly cloud: Promise<InProcessCloud>;
  users: number;
}

declare global {
  var staveFakeClouds: Map<string, Shared> | undefined;
}

/**
 * The in-process cloud of a data directory: one for the whole process, also when several versions of this driver are loaded.
 * It closes with its last user.
 */
export async function openSharedCloud(dataDir: string): Promise<FakeCloud> {
  const clouds = (globalThis.staveFakeClouds ??= new Map<string, Shared>());
  const key = resolve(dataDir);
  const shared = clouds.get(key) ?? { cloud: InProcessCloud.open(key), users: 0 };
  clouds.set(key, shared);
  shared.users += 1;
  const release = releaseOnce(clouds, key, shared);
  try {
    return new SharedCloud(await shared.cloud, release);
  } catch (cause) {
    clouds.delete(key);
    throw cause;
  }
}

class SharedCloud implements FakeCloud {
  constructor(
    private readonly cloud: InProcessCloud,
    private readonly release: () => Promise<void>,
  ) {}

  call(request: CloudRequest): Promise<CloudReply> {
    return this.cloud.call(request);
  }

  close(): Promise<void> {
    return this.release();
  }
}

function releaseOnce(clouds: Map<string, Shared>, key: string, shared: Shared): () => Promise<void> {
  let released = false;
  return async () => {
    if (released) return;
    released = true;
    shared.users -= 1;
    if (shared.users > 0) return;
    clouds.delete(key);
    await (await shared.cloud).close();
  };
}
