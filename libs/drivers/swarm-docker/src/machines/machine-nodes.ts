import { DriverError, type DriverContext, type Machine, type NodeSpec } from '@stave/driver-sdk';
import { type DockerEngine, label, labelled, nodeLabels, unitName } from '@stave/docker';
import { machineNodeUnit, type Inventory, type NodeContainer } from '../inventory.js';
import { defaultNodeImage } from '../settings.js';
import { reached, type MachineEngines } from './machine-engines.js';
import type { MachineCleaner } from './machine-cleaner.js';
import { setMark } from './machine-mark.js';

const megabyte = 2 ** 20;
const optionsOfContainers = ['insecureRegistries', 'registryMirrors'];

/**
 * Makes nodes of machines. A volume on the engine of this machine records each of them, with the address and the identity of its engine: so
 * every conductor of this engine finds it, as it finds the containers of other nodes.
 */
export class MachineNodes {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
    private readonly engines: MachineEngines,
    private readonly cleaner: MachineCleaner,
    private readonly installation: string,
  ) {}

  /** Throws `unsupported` for what a machine cannot have. */
  readonly requirePossible = requirePossible;

  /** Takes the machine for the node: records it first, then marks its engine. */
  async take(ctx: DriverContext, spec: NodeSpec, machine: Machine): Promise<NodeContainer> {
    ctx.progress('examine the engine');
    const info = await this.engines.info(ctx, machine);
    const address = await this.engines.addressOf(machine);
    ctx.progress('take the machine');
    const { ID: engineId, NCPU: cpus = 0, MemTotal = 0 } = info;
    const known = { ...machine, engineId };
    const size = { cpus, memoryMb: Math.floor(MemTotal / megabyte) };
    await this.record(ctx, spec, { ...known, address, size });
    const node = await this.recorded(ctx, spec);
    const engine = this.engines.known(known);
    const mark = { installation: this.installation, nodeId: spec.id, clusterId: spec.cluster.id };
    await reached(() => setMark(ctx, engine, mark));
    return node;
  }

  /** Gives the machine back and forgets the node. What cannot be removed now is left to the cleaning of the machine. */
  async giveBack(ctx: DriverContext, node: NodeContainer): Promise<void> {
    const { machine, nodeId, containerId } = node;
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

  private async record(
    ctx: DriverContext,
    spec: NodeSpec,
    at: Required<Pick<Machine, 'engineId'>> & Machine & { readonly address: string; readonly size: object },
  ): Promise<void> {
    const name = unitName(this.installation, spec.id, spec.generation);
    const { url: engineUrl, secret: engineSecret } = at.engine;
    const own = { unit: machineNodeUnit, machine: at.id, engineId: at.engineId, address: at.address, engineUrl };
    const labels = { ...nodeLabels(this.installation, spec), ...labelled({ ...own, engineSecret, ...at.size }) };
    const made = await this.host.createVolume(ctx, name, labels);
    if (made.Labels?.[label.machine] === at.id && made.Labels[label.engineId] === at.engineId) return;
    // an earlier attempt took another machine, which the service has given to another node since
    await this.host.removeVolume(ctx, name);
    throw new DriverError('transient', `node ${spec.id} was recorded on another machine`);
  }

  private async recorded(ctx: DriverContext, { id, generation }: NodeSpec): Promise<NodeContainer> {
    const nodes = await this.inventory.nodes(ctx, { nodeId: id });
    const node = nodes.find(one => one.generation === generation && one.machine);
    if (!node) throw new DriverError('transient', `node ${id} was removed during its creation`);
    return node;
  }
}

function requirePossible({ image, options, cluster }: NodeSpec): void {
  const given = { ...cluster.options, ...options };
  const impossible = [
    ...(image === undefined || image === defaultNodeImage ? [] : ['an image']),
    ...optionsOfContainers.filter(name => Array.isArray(given[name]) && given[name].length > 0),
  ];
  if (impossible.length === 0) return;
  const message = `a node on a machine cannot have ${impossible.join(', ')}: its engine is configured on the machine`;
  throw new DriverError('unsupported', message);
}
