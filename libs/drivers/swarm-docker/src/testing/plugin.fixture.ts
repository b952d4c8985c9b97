import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A plug-in for volumes that all nodes share, and for networks without endpoints (Docker's plug-in protocol). */
export class TestPlugin {
  readonly calls: string[] = [];
  readonly socket: string;
  readonly directory: string;
  private readonly volumes = new Set<string>();
  private readonly server: Server;

  /** `root`: an empty directory, for the socket and the volumes. */
  constructor(
    root: string,
    readonly name: string,
  ) {
    this.socket = join(root, 'socket', 'plugin.sock');
    this.directory = join(root, 'volumes');
    this.server = createServer((incoming, outgoing) => {
      void text(incoming).then(async body => {
        const call = (incoming.url ?? '').slice(1);
        this.calls.push(call);
        const { Name = '' }: { readonly Name?: string } = body === '' ? {} : JSON.parse(body);
        outgoing.end(JSON.stringify(await this.answer(call, Name)));
      });
    });
  }

  async start(): Promise<void> {
    await mkdir(join(this.socket, '..'), { recursive: true });
    await mkdir(this.directory, { recursive: true });
    await once(this.server.listen(this.socket), 'listening');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private async answer(call: string, name: string): Promise<object> {
    const path = join(this.directory, name);
    switch (call) {
      case 'Plugin.Activate':
        return { Implements: ['VolumeDriver', 'NetworkDriver'] };
      case 'VolumeDriver.Capabilities':
        return { Capabilities: { Scope: 'global' } };
      case 'NetworkDriver.GetCapabilities':
        return { Scope: 'local' };
      case 'VolumeDriver.Create':
        this.volumes.add(name);
        await mkdir(path, { recursive: true });
        return {};
      case 'VolumeDriver.Remove':
        this.volumes.delete(name);
        await rm(path, { recursive: true, force: true });
        return {};
      case 'VolumeDriver.Get':
        return this.volumes.has(name) ? { Volume: { Name: name, Mountpoint: path } } : { Err: 'no such volume' };
      case 'VolumeDriver.List':
        return { Volumes: [...this.volumes].map(Name => ({ Name })) };
      case 'VolumeDriver.Mount':
      case 'VolumeDriver.Path':
        return { Mountpoint: path };
      default:
        return {};
    }
  }
}
