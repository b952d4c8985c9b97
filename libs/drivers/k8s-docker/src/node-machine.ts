import { Readable } from 'node:stream';
import type { MachineConfiguration } from '@stave/bootstrap';
import { pollUntil, undefinedOn, type Caller, type DockerEngine } from '@stave/docker';
import type { DriverContext } from '@stave/driver-sdk';
import { fileOf, tarOf, type ArchiveEntry } from './archive.js';

/** Where the units of a node are. */
export const unitDirectory = '/etc/systemd/system';
const everyMs = 200;

/** The part of a configuration that is put in its place. */
export type Placed = Pick<MachineConfiguration, 'files' | 'units'>;

/** Reads, writes and runs what is in the container of a node, running or not. */
export class NodeMachine {
  constructor(
    private readonly engine: DockerEngine,
    readonly containerId: string,
  ) {}

  /** Returns the content of a file; undefined when it does not exist. */
  async read(caller: Caller, path: string): Promise<string | undefined> {
    const place = `/containers/${this.containerId}/archive`;
    const archive = await undefinedOn([404], this.engine.readBytes(caller, place, { query: { path } }));
    return archive && fileOf(archive);
  }

  /** Puts the files and units of a machine in their places, as cloud-init does; units that are enabled start at the next boot. */
  async configure(ctx: DriverContext, { files, units }: Placed): Promise<void> {
    const entries: ArchiveEntry[] = [
      ...files,
      ...units.map(({ name, content }) => ({ path: `${unitDirectory}/${name}`, content, mode: 0o644 })),
      ...units.flatMap(({ name, content, enabled }) => (enabled ? [wanted(name, content)] : [])),
    ];
    const options = { query: { path: '/' }, upload: Readable.from([tarOf(entries)]) };
    await this.engine.change(ctx, 'PUT', `/containers/${this.containerId}/archive`, options);
  }

  /** Runs a program to its end and returns its exit code. Its output is not kept: it may contain secrets. */
  async run(ctx: DriverContext, command: readonly string[], withinMs: number): Promise<number> {
    const body = { Cmd: command, AttachStdout: false, AttachStderr: false };
    const { Id } = await this.engine.change<{ Id: string }>(ctx, 'POST', `/containers/${this.containerId}/exec`, {
      body,
    });
    await this.engine.change(ctx, 'POST', `/exec/${Id}/start`, { body: { Detach: true } });
    const what = `run of ${command[0]} in a node`;
    const end = await pollUntil(ctx, { what, withinMs, everyMs }, async () => {
      const found = await this.engine.read<{ Running: boolean; ExitCode: number | null }>(ctx, `/exec/${Id}/json`);
      return found.Running ? undefined : { code: found.ExitCode ?? -1 };
    });
    return end.code;
  }
}

/** The link by which systemd starts a unit at each boot. */
function wanted(name: string, content: string): ArchiveEntry {
  const by = /^WantedBy=(\S+)/m.exec(content)?.[1] ?? 'multi-user.target';
  return { path: `${unitDirectory}/${by}.wants/${name}`, target: `${unitDirectory}/${name}` };
}
