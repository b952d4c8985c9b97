import type { DriverContext, MachineContents, MachineLifecycle, MachineProbe, MachineRef } from '@stave/driver-sdk';
import type { DockerEngine } from '../docker-engine.js';
import { contentsOf } from './machine-contents.js';
import type { MachineCleaner } from './machine-cleaner.js';
import { reached, type MachineEngines } from './machine-engines.js';
import type { MachineNodes } from './machine-nodes.js';
import { readMark } from './machine-mark.js';
import { unsuitable } from './machine-url.js';

const megabyte = 2 ** 20;

/** Examines and cleans Docker Engines of machines. */
export class DockerMachines implements MachineLifecycle {
  constructor(
    private readonly host: DockerEngine,
    private readonly engines: MachineEngines,
    private readonly cleaner: MachineCleaner,
    private readonly nodes: MachineNodes,
  ) {}

  async probe(ctx: DriverContext, machine: MachineRef): Promise<MachineProbe> {
    ctx.progress('examine the engine');
    const info = await this.engines.info(ctx, machine);
    const { ID: engineId, NCPU: cpus = 0, MemTotal = 0, OSType, ServerVersion, Swarm } = info;
    if (OSType !== 'linux')
      throw unsuitable(`its containers are those of ${OSType ?? 'an unknown system'}, not of Linux`);
    await this.requireOther(ctx, engineId);
    await this.engines.addressOf(machine);
    const engine = this.engines.known({ ...machine, engineId });
    return reached(async () => {
      const mark = await readMark(ctx, engine);
      if (mark)
        throw unsuitable(
          `it belongs to node ${mark.nodeId} of installation ${mark.installation}: end that node, or remove the volume stave-machine`,
        );
      if (Swarm.LocalNodeState !== 'inactive')
        throw unsuitable(`it is in a Swarm already (${Swarm.LocalNodeState}): have it leave first`);
      const capacity = { cpus, memoryMb: Math.floor(MemTotal / megabyte) };
      return { engineId, capacity, engineVersion: ServerVersion, contents: await contentsOf(ctx, engine) };
    });
  }

  async clean(ctx: DriverContext, machine: MachineRef): Promise<MachineContents> {
    ctx.progress('clean the engine');
    const contents = await this.cleaner.clean(ctx, machine);
    await this.nodes.forget(ctx, machine.id);
    return contents;
  }

  /** The engine of this machine has the nodes that are containers, and the records of the others. */
  private async requireOther(ctx: DriverContext, engineId: string): Promise<void> {
    if ((await this.host.info(ctx)).ID === engineId)
      throw unsuitable('it is the engine that the conductor itself uses (DOCKER_HOST)');
  }
}
