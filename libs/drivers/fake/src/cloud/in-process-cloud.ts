import { setMaxListeners } from 'node:events';
import { DriverError, type Options } from '@stave/driver-sdk';
import { attach, engineClaim, unreachable, useOf } from './attachments.js';
import { systemCloudClock, type CloudClock } from './cloud-clock.js';
import { CloudLedger, type Journal } from './cloud-ledger.js';
import type {
  ActRequest,
  CloudReply,
  CloudRequest,
  CreateRequest,
  FakeCloud,
  RemoveRequest,
} from './fake-cloud.port.js';
import { actOn, newUnit, running, stopMs, type FakeUnit, type UnitDraft } from './fake-unit.js';
import { capacityOf, sampleLatency, type FaultPlan } from './fault-plan.js';
import { InjectedFaults, type Change } from './injected-faults.js';
import { NodeImages } from './node-images.js';
import { SimulatedLoad } from './simulated-load.js';
import { storedIdentity } from './stored-identity.js';
import { SpontaneousChanges } from './spontaneous-changes.js';

/**
 * The fake cloud. Steps between two waits are synchronous and therefore atomic. An accepted change completes even when its caller has
 * gone. Only one process at a time can open the cloud of a data directory.
 */
export class InProcessCloud implements FakeCloud {
  private readonly faults: InjectedFaults;
  private readonly closing = new AbortController();

  private readonly spontaneous: SpontaneousChanges;
  private readonly images: NodeImages;

  private constructor(
    private readonly ledger: CloudLedger,
    private readonly clock: CloudClock,
    private readonly id = 'in memory',
  ) {
    this.faults = new InjectedFaults(ledger);
    this.images = new NodeImages(ledger.units);
    setMaxListeners(0, this.closing.signal); // every wait in progress listens to it
    this.spontaneous = new SpontaneousChanges(ledger, clock, async ms => {
      await this.wait(ms).catch(() => undefined);
      return !this.closing.signal.aborted;
    });
  }

  static async open(dataDir: string, clock: CloudClock = systemCloudClock): Promise<InProcessCloud> {
    const ledger = await CloudLedger.open(dataDir, clock);
    try {
      return new InProcessCloud(ledger, clock, storedIdentity(dataDir));
    } catch (error) {
      ledger.close();
      throw error;
    }
  }

  static over(journal: Journal): InProcessCloud {
    return new InProcessCloud(new CloudLedger(journal), systemCloudClock);
  }

  async call(request: CloudRequest): Promise<CloudReply> {
    const { units } = this.ledger;
    switch (request.call) {
      case 'find':
        return this.read(request, units.ofResource(request.installation, request.kind, request.resourceId));
      case 'list':
        return this.list(request, () => units.list(request.installation, request.clusterId));
      case 'create':
        return this.create(request);
      case 'remove':
        return this.remove(request);
      case 'act':
        return this.act(request);
      case 'engine':
        return this.onEngine(request, request.engine);
    }
  }

  async identity(): Promise<string> {
    return this.id;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.ledger.close();
  }

  private read(request: CloudRequest, units: readonly FakeUnit[]): CloudReply {
    this.ledger.write(request, {}, units.length === 1 ? units[0] : undefined);
    return { units, now: this.clock.now() };
  }

  /** Returns the nodes on the engine of a machine. */
  private onEngine(request: CloudRequest, engine: string): CloudReply {
    const units = this.ledger.units.holding(engineClaim(engine));
    if (units.some(({ lost }) => lost)) throw this.ledger.refused(request, unreachable(engine));
    return this.read(request, units);
  }

  /** Containers that need more memory than their limit are ended before the units are listed. */
  private list(request: CloudRequest, listed: () => readonly FakeUnit[]): CloudReply {
    const units = listed();
    if (!this.ledger.units.hasContainers) return this.read(request, units);
    const load = new SimulatedLoad(units, this.clock.now());
    const killed = units.filter(
      unit => unit.kind === 'container' && unit.state === 'running' && load.exceedsMemory(unit),
    );
    for (const unit of killed) this.spontaneous.outOfMemory(request, unit);
    return this.read(request, killed.length > 0 ? listed() : units);
  }

  private async create(request: CreateRequest): Promise<CloudReply> {
    const { unit: draft } = request;
    const siblings = this.siblings(draft);
    const obstacles = siblings.filter(unit => unit.generation !== draft.generation);
    const existing = siblings.find(unit => unit.generation === draft.generation);
    if (obstacles.length > 0) {
      this.ledger.write(request, {}, obstacles[0]);
      return { units: existing ? [existing] : [], obstacles };
    }
    const change = this.faults.begin(request, draft.resourceId);
    this.faults.throwInjected(request, change, existing);
    if (existing?.state === 'running' || existing?.state === 'stopped') {
      this.ledger.write(request, { effect: 'adopted' }, existing);
      return this.faults.reply(request, change, existing);
    }
    return this.build(request, change, existing ?? this.accept(request, change.plan));
  }

  /** Validates a draft against capacity and hosts, and returns the new unit. */
  private accept(request: CreateRequest, plan: FaultPlan): FakeUnit {
    const { unit: draft } = request;
    const { ledger } = this;
    const { units } = ledger;
    const capacity = draft.kind === 'node' ? capacityOf(plan, draft.zone) : undefined;
    const full = `the capacity of ${draft.zone ?? 'the cluster'} is exhausted: no further node fits`;
    if (capacity && units.countNodes(draft, capacity.perZone) >= capacity.limit)
      throw ledger.fail(request, 'capacity', full, undefined, {
        code: capacity.perZone ? 'no-valid-host' : 'quota-exceeded',
      });
    const host = draft.nodeId === undefined ? undefined : this.hostOf(request, draft.nodeId);
    const limit = (host?.attributes['options'] as Options | undefined)?.['maxContainersPerNode'];
    if (draft.kind === 'container' && host && typeof limit === 'number' && units.containersOn(host) >= limit)
      throw ledger.fail(request, 'capacity', `${host.name} runs its maximum number of containers`);
    const held = attach(units, draft, host, request.options);
    if (held instanceof DriverError) throw ledger.refused(request, held);
    return { ...newUnit(draft, ledger.nextUnit(), host), ...held };
  }

  private hostOf(request: CreateRequest, nodeId: string): FakeUnit {
    const hosts = this.ledger.units.ofResource(request.unit.installation, 'node', nodeId);
    const host = hosts.findLast(unit => unit.state === 'running');
    if (!host) throw this.ledger.fail(request, 'notFound', `node ${nodeId} is not running`);
    return host;
  }

  /** Returns the units of the resource; of a network or volume those in the same place. */
  private siblings({ installation, kind, resourceId, nodeId }: UnitDraft): FakeUnit[] {
    const all = this.ledger.units.ofResource(installation, kind, resourceId);
    return kind === 'network' || kind === 'volume' ? all.filter(unit => unit.nodeId === nodeId) : all;
  }

  private async build(request: CreateRequest, change: Change, unit: FakeUnit): Promise<CloudReply> {
    const { ledger } = this;
    const pullMs = unit.kind === 'container' ? this.images.pullMs(unit, request.options) : 0;
    if (pullMs instanceof DriverError) throw ledger.refused(request, pullMs);
    const waitMs = sampleLatency(change.plan, change.draw) + pullMs;
    if (waitMs > 0) {
      const effect = ledger.units.get(unit.infrastructureId) ? 'adopted' : 'created';
      ledger.write(request, { effect, put: [{ ...unit, state: 'creating' }] }, unit);
      await this.wait(waitMs);
      const current = ledger.units.get(unit.infrastructureId);
      if (!current) throw ledger.fail(request, 'conflict', `${unit.name} was removed during its build`, unit);
      if (current.state !== 'creating') return this.faults.reply(request, change, current);
    }
    if (unit.kind === 'node' && ledger.failedBuildsOf(unit) < change.plan.failFirst) {
      const line = { effect: 'failed', put: [{ ...unit, state: 'failed' }], code: 'node-reported-failure' } as const;
      throw ledger.fail(request, 'transient', `the build of ${unit.name} failed`, unit, line);
    }
    if (unit.kind === 'container') this.images.pulled(unit);
    const done = running(unit, this.clock.now());
    const effect = ledger.units.get(unit.infrastructureId) ? 'finished' : 'created';
    ledger.write(request, { effect, put: [done] }, done);
    this.spontaneous.onBuilt(request, done);
    return this.faults.reply(request, change, done);
  }

  private async remove(request: RemoveRequest): Promise<CloudReply> {
    const { ledger } = this;
    const id = request.infrastructureId;
    const { change, unit } = await this.beginOnUnit(request);
    if (!unit) return this.read(request, []);
    if (ledger.units.holding(useOf(id)).length > 0)
      throw ledger.fail(request, 'conflict', `${unit.name} is used by a container`, unit);
    if (this.faults.isInjected(change, 'failDelete'))
      throw ledger.fail(request, 'transient', `${unit.name} could not be removed`, unit);
    await this.wait(stopMs(unit));
    if (change.plan.slowDeathMs > 0) {
      ledger.write(request, { effect: 'stop', put: [{ ...unit, state: 'stopped' }] }, unit);
      await this.wait(change.plan.slowDeathMs);
    }
    const gone = [unit, ...ledger.units.onHost(id)].map(each => each.infrastructureId);
    ledger.write(request, ledger.units.get(id) ? { effect: 'removed', gone } : {}, unit);
    this.images.forget(id);
    return this.faults.reply(request, change, unit);
  }

  private async act(request: ActRequest): Promise<CloudReply> {
    const { ledger } = this;
    const { change, unit } = await this.beginOnUnit(request);
    if (!unit) throw ledger.fail(request, 'notFound', `unit ${request.infrastructureId} does not exist`);
    if (request.action === 'stop' || request.action === 'restart') await this.wait(stopMs(unit));
    const current = ledger.units.get(unit.infrastructureId);
    if (!current) throw ledger.fail(request, 'notFound', `${unit.name} was removed while it stopped`);
    const done = actOn(current, request, this.clock.now());
    if (done instanceof DriverError) throw ledger.fail(request, done.failure, done.message, unit);
    ledger.write(request, { effect: request.action, put: [done] }, done);
    this.spontaneous.onStarted(request, done);
    return this.faults.reply(request, change, done);
  }

  /** Waits for the latency of a call on an existing unit, and throws the injected error. `unit` is absent when it does not exist. */
  private async beginOnUnit(request: RemoveRequest | ActRequest) {
    const { units } = this.ledger;
    const id = request.infrastructureId;
    const change = this.faults.begin(request, units.get(id)?.resourceId ?? id);
    await this.wait(sampleLatency(change.plan, change.draw));
    const unit = units.get(id);
    this.faults.throwInjected(request, change, unit);
    return { change, unit };
  }

  private async wait(ms: number): Promise<void> {
    if (ms <= 0) return;
    try {
      await this.clock.wait(ms, this.closing.signal);
    } catch (cause) {
      throw new DriverError('transient', 'the fake cloud is closed', { cause });
    }
  }
}
