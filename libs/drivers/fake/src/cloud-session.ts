import { setMaxListeners } from 'node:events';
import {
  DriverError,
  type ContainerHealth,
  type DriverContext,
  type Options,
  type Unit,
  type UnitKind,
} from '@stave/driver-sdk';
import type { Caller, CloudReply, CloudRequest, FakeCloud, UnitAction } from './cloud/fake-cloud.port.js';
import type { FakeUnit, UnitDraft } from './cloud/fake-unit.js';
import { SimulatedLoad } from './cloud/simulated-load.js';
import { healthAt } from './container-health.js';
import type { DeadlyCalls } from './deadly-calls.js';

/** The cloud and the identity that all calls of one open driver share. */
export interface CloudAccess extends Pick<Caller, 'conductor' | 'session'> {
  readonly cloud: FakeCloud;
  readonly installation: string;
  readonly deadly?: DeadlyCalls;
}

/** Refers to the units of a resource up to a generation. Units of a higher generation are never changed. */
interface ResourceGeneration {
  readonly id: string;
  readonly generation: number;
  /** For a network or volume of node scope: its unit on this node only. */
  readonly nodeId?: string;
}

/** Sends the requests of one driver call to the cloud. Every change passes the checkpoint first; every request ends at the signal. */
export class CloudSession {
  private readonly request: { readonly caller: Caller; readonly options: Options };

  constructor(
    private readonly access: CloudAccess,
    private readonly ctx: DriverContext,
    operation: string,
    options: Options = {},
  ) {
    const { conductor, session } = access;
    this.request = { caller: { operation, ...ctx.task, conductor, session }, options };
  }

  /** Creates or adopts the unit, after it has removed lower generations. Throws `conflict` when a higher generation exists. */
  async ensure(draft: Omit<UnitDraft, 'installation'>): Promise<FakeUnit> {
    const unit = { ...draft, installation: this.access.installation };
    const first = await this.change({ call: 'create', unit, ...this.request });
    if (!first.obstacles) return single(first, unit.resourceId);
    const higher = first.obstacles.find(other => other.generation > unit.generation);
    if (higher)
      throw new DriverError('conflict', `${higher.name} exists, which is newer than generation ${unit.generation}`);
    this.ctx.progress('remove older units');
    for (const older of first.obstacles) await this.remove(older.infrastructureId);
    const second = await this.change({ call: 'create', unit, ...this.request });
    if (second.obstacles)
      throw new DriverError('conflict', `another call created a unit of ${unit.resourceId} at the same time`);
    return single(second, unit.resourceId);
  }

  /** Returns the units up to the generation, the oldest first. */
  async find(kind: UnitKind, { id, generation, nodeId }: ResourceGeneration): Promise<readonly FakeUnit[]> {
    const { installation } = this.access;
    const found = await this.send({ call: 'find', installation, kind, resourceId: id, ...this.request });
    const isMeant = (unit: FakeUnit): boolean => kind === 'container' || nodeId === undefined || unit.nodeId === nodeId;
    return found.units.filter(unit => unit.generation <= generation && isMeant(unit));
  }

  async newest(kind: UnitKind, resource: ResourceGeneration): Promise<FakeUnit | undefined> {
    return [...(await this.find(kind, resource))].sort((a, b) => b.generation - a.generation)[0];
  }

  /** As `newest`, but throws `notFound` when there is no unit. */
  async existing(kind: UnitKind, resource: ResourceGeneration): Promise<FakeUnit> {
    const unit = await this.newest(kind, resource);
    if (!unit) throw new DriverError('notFound', `${kind} ${resource.id} has no unit`);
    return unit;
  }

  async removeAll(kind: UnitKind, resource: ResourceGeneration): Promise<void> {
    this.ctx.progress(`remove ${kind}`);
    for (const unit of await this.find(kind, resource)) await this.remove(unit.infrastructureId);
  }

  async remove(infrastructureId: string): Promise<void> {
    await this.change({ call: 'remove', infrastructureId, ...this.request });
  }

  /** Applies an action to the newest unit. Throws `notFound` when there is none. */
  async act(
    kind: UnitKind,
    resource: ResourceGeneration,
    action: UnitAction,
    attributes?: FakeUnit['attributes'],
  ): Promise<FakeUnit> {
    this.ctx.progress(`${action} ${kind}`);
    const { infrastructureId } = await this.existing(kind, resource);
    return single(
      await this.change({ call: 'act', infrastructureId, action, attributes, ...this.request }),
      resource.id,
    );
  }

  /** Returns the nodes on the engine of a machine, those of other installations too. Throws DriverError `engine-unreachable`. */
  async onEngine(engine: string): Promise<readonly FakeUnit[]> {
    return (await this.send({ call: 'engine', engine, ...this.request })).units;
  }

  /** Returns the units, and the time of the cloud in milliseconds since 1970. */
  async units(clusterId?: string): Promise<{ readonly units: readonly FakeUnit[]; readonly now: number }> {
    const { installation } = this.access;
    const { units, now = Date.now() } = await this.send({ call: 'list', installation, clusterId, ...this.request });
    return { units, now };
  }

  async list(clusterId?: string): Promise<readonly Unit[]> {
    const { units, now } = await this.units(clusterId);
    let load: SimulatedLoad | undefined;
    const healthOf = (unit: FakeUnit) => {
      load ??= new SimulatedLoad(units, now);
      return load.isMonitored(unit) ? healthAt(unit, now) : undefined;
    };
    return units.map(unit => toUnit(unit, unit.kind === 'container' ? healthOf(unit) : undefined));
  }

  private change(request: CloudRequest): Promise<CloudReply> {
    this.ctx.checkpoint();
    return this.send(request);
  }

  private async send(request: CloudRequest): Promise<CloudReply> {
    const { signal } = this.ctx;
    if (signal.aborted) throw stopped(signal);
    setMaxListeners(0, signal); // a conductor may use one signal for all its calls
    let stop: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(stopped(signal));
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([this.access.cloud.call(request, signal), aborted]);
    } finally {
      if (stop) signal.removeEventListener('abort', stop);
    }
  }
}

function stopped(signal: AbortSignal): DriverError {
  return new DriverError('transient', 'the call was stopped by its signal', { cause: signal.reason });
}

function single(reply: CloudReply, resourceId: string): FakeUnit {
  const unit = reply.units[0];
  if (!unit) throw new DriverError('permanent', `the reply of the fake cloud lacks the unit of ${resourceId}`);
  return unit;
}

function toUnit(unit: FakeUnit, health: ContainerHealth | undefined): Unit {
  const { infrastructureId, kind, resourceId, clusterId, generation, nodeId, state, exitCode, restarts = 0 } = unit;
  const common = { infrastructureId, kind, resourceId, clusterId, generation, state };
  if (kind === 'container') return { ...common, exitCode, restarts, ...(health && { health }) };
  return nodeId === undefined ? common : { ...common, nodeId };
}
