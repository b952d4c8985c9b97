import { setMaxListeners } from 'node:events';
import { DriverError, type DriverContext, type Options, type Unit, type UnitKind } from '@stave/driver-sdk';
import type { Caller, CloudReply, CloudRequest, FakeCloud, UnitAction } from './cloud/fake-cloud.port.js';
import type { FakeUnit, UnitDraft } from './cloud/fake-unit.js';

/** What every driver call of one open driver shares. */
export interface CloudAccess {
  readonly cloud: FakeCloud;
  readonly installation: string;
  readonly conductor?: string;
  readonly session?: string;
}

/** Names a resource: which units are meant, and up to which generation they may be touched. */
export interface Subject {
  readonly kind: UnitKind;
  readonly id: string;
  readonly generation: number;
}

/** The calls of one driver call: checks the checkpoint before each change, and the signal around every call. */
export class CloudSession {
  private readonly caller: Caller;

  constructor(
    private readonly access: CloudAccess,
    private readonly ctx: DriverContext,
    operation: string,
    private readonly options: Options,
  ) {
    const { conductor, session } = access;
    this.caller = { operation, ...ctx.task, ...(conductor && { conductor }), ...(session && { session }) };
  }

  /** Makes the unit, or takes it over; first removes lower generations. Throws `conflict` where there is a higher one. */
  async ensure(draft: Omit<UnitDraft, 'installation'>): Promise<FakeUnit> {
    const unit = { ...draft, installation: this.access.installation };
    const first = await this.change({ call: 'create', unit, ...this.request });
    if (!first.obstacles) return single(first, unit.resourceId);
    const higher = first.obstacles.find(other => other.generation > unit.generation);
    if (higher) throw new DriverError('conflict', `${higher.name} is newer than generation ${unit.generation}`);
    this.ctx.progress('remove older units');
    for (const older of first.obstacles) await this.remove(older.infrastructureId);
    const second = await this.change({ call: 'create', unit, ...this.request });
    if (second.obstacles) throw new DriverError('conflict', `units of ${unit.resourceId} appeared meanwhile`);
    return single(second, unit.resourceId);
  }

  /** Units up to the subject's generation, oldest first. */
  async find({ kind, id, generation }: Subject): Promise<readonly FakeUnit[]> {
    const { installation } = this.access;
    const found = await this.send({ call: 'find', installation, kind, resourceId: id, ...this.request });
    return found.units.filter(unit => unit.generation <= generation);
  }

  /** The newest unit up to the subject's generation. */
  async newest(subject: Subject): Promise<FakeUnit | undefined> {
    return (await this.find(subject)).reduce<FakeUnit | undefined>(
      (best, unit) => (best && best.generation > unit.generation ? best : unit),
      undefined,
    );
  }

  async removeAll(subject: Subject): Promise<void> {
    for (const unit of await this.find(subject)) await this.remove(unit.infrastructureId);
  }

  async remove(infrastructureId: string): Promise<void> {
    await this.change({ call: 'remove', infrastructureId, ...this.request });
  }

  /** Acts on the newest unit. Throws `notFound` when there is none. */
  async act(subject: Subject, action: UnitAction, attributes?: FakeUnit['attributes']): Promise<FakeUnit> {
    const unit = await this.newest(subject);
    if (!unit) throw new DriverError('notFound', `${subject.kind} ${subject.id} has no unit`);
    const { infrastructureId } = unit;
    const reply = await this.change({
      call: 'act',
      infrastructureId,
      action,
      ...(attributes && { attributes }),
      ...this.request,
    });
    return single(reply, subject.id);
  }

  async list(clusterId?: string): Promise<readonly Unit[]> {
    return (await this.units(clusterId)).map(toUnit);
  }

  /** As the cloud has them. */
  async units(clusterId?: string): Promise<readonly FakeUnit[]> {
    const { installation } = this.access;
    const found = await this.send({ call: 'list', installation, ...(clusterId && { clusterId }), ...this.request });
    return found.units;
  }

  private get request(): { caller: Caller; options: Options } {
    return { caller: this.caller, options: this.options };
  }

  private change(request: CloudRequest): Promise<CloudReply> {
    this.ctx.checkpoint();
    return this.send(request);
  }

  private async send(request: CloudRequest): Promise<CloudReply> {
    const { signal } = this.ctx;
    if (signal.aborted) throw stopped(signal);
    setMaxListeners(0, signal); // a conductor may share one signal among all its calls
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
  return new DriverError('transient', 'the call was stopped', { cause: signal.reason });
}

function single(reply: CloudReply, resourceId: string): FakeUnit {
  const unit = reply.units[0];
  if (!unit) throw new DriverError('permanent', `the fake cloud answered without the unit of ${resourceId}`);
  return unit;
}

function toUnit(unit: FakeUnit): Unit {
  const { infrastructureId, kind, resourceId, clusterId, generation, state, exitCode, restarts } = unit;
  return {
    infrastructureId,
    kind,
    resourceId,
    clusterId,
    generation,
    state,
    ...(exitCode !== undefined && { exitCode }),
    ...(kind === 'container' && { restarts: restarts ?? 0 }),
  };
}
