import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { shortId } from './labels.js';

export const socketFile = 'd.sock';

/** Directories on this machine that hold the nodes' engine sockets: `<run>/<cluster>/<node>-g<generation>/d.sock`. */
export class RunDirectory {
  constructor(
    private readonly runDir: string,
    private readonly installation: string,
  ) {}

  socketOf(clusterId: string, nodeId: string, generation: number): string {
    return join(this.ofCluster(clusterId), `${shortId(nodeId)}-g${generation}`, socketFile);
  }

  /** Only this user and root may enter it: a socket in it is root's key to the node. */
  async make(ctx: DriverContext, socket: string): Promise<void> {
    ctx.checkpoint();
    await onDisk(async () => {
      await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
      await chmod(dirname(socket), 0o700);
    });
  }

  async removeSocket(ctx: DriverContext, socket: string): Promise<void> {
    ctx.checkpoint();
    await onDisk(() => rm(dirname(socket), { recursive: true, force: true }));
  }

  /** What an interrupted create or delete left of the node, up to this generation. */
  async removeNode(ctx: DriverContext, clusterId: string, nodeId: string, upTo: number): Promise<void> {
    const prefix = `${shortId(nodeId)}-g`;
    const entries = await onDisk(() => readdir(this.ofCluster(clusterId)).catch(absent));
    for (const entry of entries) {
      if (!entry.startsWith(prefix) || Number(entry.slice(prefix.length)) > upTo) continue;
      await this.removeSocket(ctx, join(this.ofCluster(clusterId), entry, socketFile));
    }
  }

  async removeCluster(ctx: DriverContext, clusterId: string): Promise<void> {
    ctx.checkpoint();
    await onDisk(() => rm(this.ofCluster(clusterId), { recursive: true, force: true }));
  }

  private ofCluster(clusterId: string): string {
    return join(this.runDir, shortId(this.installation, clusterId));
  }
}

function absent(error: unknown): string[] {
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new DriverError('permanent', 'the run directory for engine sockets cannot be used', { cause });
  }
}
