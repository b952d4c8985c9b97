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
 * Opens the in-process cloud of a data directory. All drivers of this process share it, also several versions of this driver; it is closed
 * when the last of them is closed.
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
