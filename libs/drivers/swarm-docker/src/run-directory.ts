import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { shortId } from '@stave/docker';

const socketFile = 'd.sock';

/** Manages the directories with the sockets of the nodes' engines: `<run>/<cluster>/<node>-g<generation>/d.sock`. */
export class RunDirectory {
  constructor(
    private readonly runDir: string,
    private readonly installation: string,
  ) {}

  socketOf(clusterId: string, nodeId: string, generation: number): string {
    return join(this.ofCluster(clusterId), `${shortId(nodeId)}-g${generation}`, socketFile);
  }

  /** Creates the directory of a socket. Only this user and root can enter it, because the socket grants root access to the node. */
  async make(ctx: DriverContext, socket: string): Promise<void> {
    ctx.checkpoint();
    await this.onDisk(async () => {
      await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
      await chmod(dirname(socket), 0o700);
    });
  }

  async removeSocket(ctx: DriverContext, socket: string): Promise<void> {
    ctx.checkpoint();
    await this.onDisk(() => rm(dirname(socket), { recursive: true, force: true }));
  }

  /** Removes the directories of the node's generations up to this one, which an interrupted create or delete left behind. */
  async removeNode(ctx: DriverContext, clusterId: string, nodeId: string, upTo: number): Promise<void> {
    const prefix = `${shortId(nodeId)}-g`;
    const entries = await this.onDisk(() => readdir(this.ofCluster(clusterId)).catch(absent));
    for (const entry of entries) {
      if (!entry.startsWith(prefix) || Number(entry.slice(prefix.length)) > upTo) continue;
      await this.removeSocket(ctx, join(this.ofCluster(clusterId), entry, socketFile));
    }
  }

  async removeCluster(ctx: DriverContext, clusterId: string): Promise<void> {
    ctx.checkpoint();
    await this.onDisk(() => rm(this.ofCluster(clusterId), { recursive: true, force: true }));
  }

  private async onDisk<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const message = `the run directory ${this.runDir} cannot be used: check its permissions and free space`;
      throw new DriverError('permanent', message, { cause });
    }
  }

  private ofCluster(clusterId: string): string {
    return join(this.runDir, shortId(this.installation, clusterId));
  }
}

function absent(error: unknown): string[] {
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
