import { DriverError, type DriverContext, type Labels, type Machine, type NodeSpec } from '@stave/driver-sdk';
import type { DockerEngine } from '../docker-engine.js';
import { label, labelled, nodeLabels, unitName } from '../labels.js';
import { machineNodeUnit, type KnownMachine } from './known-machine.js';
import type { MachineCleaner } from './machine-cleaner.js';
import { reached, type MachineEngines } from './machine-engines.js';
import { setMark } from './machine-mark.js';

const megabyte = 2 ** 20;

/** What is known of a machine before a node takes it. */
export interface ExaminedMachine {
  readonly machine: KnownMachine;
  /** The address by which other machines reach it. */
  readonly address: string;
  /** CPU cores and MiB, as its engine reports them. */
  readonly size: { readonly cpus: number; readonly memoryMb: number };
}

/** A node on a machine, as its record says. */
interface RecordedNode {
  readonly nodeId: string;
  /** The name of the volume that records it. */
  readonly containerId: string;
  readonly machine?: KnownMachine;
}

/**
 * Takes machines for nodes, and gives them back. A volume on the engine of this machine records each of these nodes, with the address and the
 * identity of its engine: so every conductor of this engine finds it, as it finds the containers of other nodes.
 */
export class MachineNodes {
  constructor(
    private readonly host: DockerEngine,
    private readonly engines: MachineEngines,
    private readonly cleaner: MachineCleaner,
    private readonly installation: string,
    private readonly driver: string,
  ) {}

  /** Throws `engine-unreachable` where the engine does not answer, and `engine-changed` where another one does. */
  async examine(ctx: DriverContext, machine: Machine): Promise<ExaminedMachine> {
    ctx.progress('examine the engine');
    const { ID: engineId, NCPU: cpus = 0, MemTotal = 0 } = await this.engines.info(ctx, machine);
    const address = await this.engines.addressOf(machine);
    return { machine: { ...machine, engineId }, address, size: { cpus, memoryMb: Math.floor(MemTotal / megabyte) } };
  }

  /**
   * Records the node before anything on its machine is changed, or finds its record, and returns the labels of that. `own`: what the driver
   * records beside the machine; an earlier record keeps what it has. Throws `transient` where the record names another machine.
   */
  async record(ctx: DriverContext, spec: NodeSpec, { machine, size }: ExaminedMachine, own: Labels): Promise<Labels> {
    ctx.progress('take the machine');
    const { url: engineUrl, secret: engineSecret } = machine.engine;
    const at = { unit: machineNodeUnit, machine: machine.id, engineId: machine.engineId, engineUrl, engineSecret };
    const labels = { ...nodeLabels(this.installation, this.driver, spec), ...labelled({ ...at, ...size }), ...own };
    const name = this.nameOf(spec);
    const made = (await this.host.createVolume(ctx, name, labels)).Labels ?? {};
    if (made[label.machine] === machine.id && made[label.engineId] === machine.engineId) return made;
    // an earlier attempt took another machine, which the service has given to another node since
    await this.host.removeVolume(ctx, name);
    throw new DriverError('transient', `node ${spec.id} was recorded on another machine`);
  }

  /** Marks the engine of the machine as that of the node, which is recorded. */
  async mark(ctx: DriverContext, spec: NodeSpec, { machine }: ExaminedMachine): Promise<void> {
    const mark = { installation: this.installation, nodeId: spec.id, clusterId: spec.cluster.id };
    await reached(() => setMark(ctx, this.engines.known(machine), mark));
  }

  /** Removes the record of a node whose machine is not marked yet. */
  async withdraw(ctx: DriverContext, spec: NodeSpec): Promise<void> {
    await this.host.removeVolume(ctx, this.nameOf(spec));
  }

  /** Gives the machine back and forgets the node. What cannot be removed now is left to the cleaning of the machine. */
  async giveBack(ctx: DriverContext, { machine, nodeId, containerId }: RecordedNode): Promise<void> {
    if (machine)
      try {
        await this.cleaner.clean(ctx, machine, nodeId);
      } catch (error) {
        if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
        ctx.log.warn({ nodeId, reason: error.message }, 'the machine of the node is not clean yet');
      }
    await this.host.removeVolume(ctx, containerId);
  }

  /** Forgets the nodes that were recorded on a machine, which is clean. */
  async forget(ctx: DriverContext, machineId: string): Promise<void> {
    const wanted = labelled({ installation: this.installation, unit: machineNodeUnit, machine: machineId });
    for (const { Name } of await this.host.volumes(ctx, wanted)) await this.host.removeVolume(ctx, Name);
  }

  private nameOf({ id, generation }: NodeSpec): string {
    return unitName(this.installation, id, generation);
  }
}
