import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '@stave/driver-sdk';
import { chance } from './chance.js';
import { CloudLedger } from './cloud-ledger.js';
import type {
  ActRequest,
  CloudReply,
  CloudRequest,
  CreateRequest,
  FakeCloud,
  RemoveRequest,
} from './fake-cloud.port.js';
import type { FakeUnit } from './fake-unit.js';
import { capacityOf, faultPlan, sampleLatency, type FaultPlan, refusalsOf } from './fault-plan.js';
import { actOn, newUnit, running } from './unit-changes.js';
import { UnitLives } from './unit-lives.js';

/** One change under way: its faults, and the key that its chances are drawn by. */
interface Change {
  readonly plan: FaultPlan;
  readonly draw: string;
}

/**
 * The fake cloud itself. Between two waits everything is synchronous, so a step is atomic. A change that was taken on takes
 * its course although its caller is gone. One process at a time may have a data directory's cloud open.
 */
export class InProcessCloud implements FakeCloud {
  private readonly draws = new Map<string, number>();
  private readonly closing = new AbortController();

  private readonly lives: UnitLives;

  private constructor(private readonly ledger: CloudLedger) {
    setMaxListeners(0, this.closing.signal); // every wait under way listens to it
    this.lives = new UnitLives(ledger, async ms => {
      await this.pass(ms).catch(() => undefined);
      return !this.closing.signal.aborted;
    });
  }

  static async open(dataDir: string, now: () => string = () => new Date().toISOString()): Promise<InProcessCloud> {
    return new InProcessCloud(await CloudLedger.open(dataDir, now));
  }

  async call(request: CloudRequest): Promise<CloudReply> {
    const { units } = this.ledger;
    switch (request.call) {
      case 'find':
        return this.read(request, units.ofResource(request.installation, request.kind, request.resourceId));
      case 'list':
        return this.read(request, units.list(request.installation, request.clusterId));
      case 'create':
        return this.create(request);
      case 'remove':
        return this.remove(request);
      case 'act':
        return this.act(request);
    }
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.ledger.close();
  }

  private read(request: CloudRequest, units: readonly FakeUnit[]): CloudReply {
    this.ledger.write(request, {}, units.length === 1 ? units[0] : undefined);
    return { units };
  }

  private async create(request: CreateRequest): Promise<CloudReply> {
    const { unit: draft } = request;
    const siblings = this.ledger.units.ofResource(draft.installation, draft.kind, draft.resourceId);
    const obstacles = siblings.filter(unit => unit.generation !== draft.generation);
    const existing = siblings.find(unit => unit.generation === draft.generation);
    if (obstacles.length > 0) {
      this.ledger.write(request, {}, obstacles[0]);
      return { units: existing ? [existing] : [], obstacles };
    }
    const change = this.begin(request, draft.resourceId);
    this.mayFail(request, change, existing);
    if (existing?.state === 'running' || existing?.state === 'stopped') {
      this.ledger.write(request, { effect: 'adopted' }, existing);
      return this.reply(request, change, existing);
    }
    return this.build(request, change, existing ?? this.accept(request, change.plan));
  }

  /** The unit to be; everything that can be wrong with the draft is found here. */
  private accept(request: CreateRequest, plan: FaultPlan): FakeUnit {
    const { unit: draft } = request;
    const { units } = this.ledger;
    const capacity = draft.kind === 'node' ? capacityOf(plan, draft.zone) : undefined;
    if (capacity && units.countNodes(draft, capacity.perZone) >= capacity.limit) {
      throw this.ledger.fail(
        request,
        new DriverError('capacity', `no room for another node in ${draft.zone ?? 'the cluster'}`),
      );
    }
    const host =
      draft.kind === 'container'
        ? units.ofResource(draft.installation, 'node', draft.nodeId ?? '').findLast(unit => unit.state === 'running')
        : undefined;
    if (draft.kind === 'container' && !host) {
      throw this.ledger.fail(request, new DriverError('notFound', `node ${draft.nodeId} does not run`));
    }
    const room = host?.attributes['containerRoom'];
    if (host && typeof room === 'number' && units.onHost(host.infrastructureId).length >= room)
      throw this.ledger.fail(request, new DriverError('capacity', `no room for another container on ${host.name}`));
    return newUnit(draft, this.ledger.nextUnit(), host);
  }

  private async build(request: CreateRequest, change: Change, unit: FakeUnit): Promise<CloudReply> {
    const { ledger } = this;
    const waitMs = sampleLatency(change.plan, change.draw);
    if (waitMs > 0) {
      const effect = ledger.units.get(unit.infrastructureId) ? 'adopted' : 'created';
      ledger.write(request, { effect, put: [{ ...unit, state: 'creating' }] }, unit);
      await this.pass(waitMs);
      const current = ledger.units.get(unit.infrastructureId);
      if (!current) {
        throw ledger.fail(request, new DriverError('conflict', `${unit.name} was removed while it was built`), unit);
      }
      if (current.state !== 'creating') return this.reply(request, change, current);
    }
    if (unit.kind === 'node' && ledger.failedBuildsOf(unit) < change.plan.failFirst) {
      const error = new DriverError('transient', `the build of ${unit.name} failed`);
      throw ledger.fail(request, error, unit, { effect: 'failed', put: [{ ...unit, state: 'failed' }] });
    }
    const done = running(unit);
    ledger.write(
      request,
      { effect: ledger.units.get(unit.infrastructureId) ? 'finished' : 'created', put: [done] },
      done,
    );
    this.lives.begin(request, done);
    return this.reply(request, change, done);
  }

  private async remove(request: RemoveRequest): Promise<CloudReply> {
    const { ledger } = this;
    const id = request.infrastructureId;
    const change = this.begin(request, ledger.units.get(id)?.resourceId ?? id);
    await this.pass(sampleLatency(change.plan, change.draw));
    const unit = ledger.units.get(id);
    this.mayFail(request, change, unit);
    if (!unit) return this.read(request, []);
    if (this.happens(change, 'failDelete')) {
      throw ledger.fail(request, new DriverError('transient', `${unit.name} could not be removed`), unit);
    }
    if (change.plan.slowDeathMs > 0) {
      ledger.write(request, { effect: 'stop', put: [{ ...unit, state: 'stopped' }] }, unit);
      await this.pass(change.plan.slowDeathMs);
    }
    const gone = [unit, ...ledger.units.onHost(id)].map(each => each.infrastructureId);
    ledger.write(request, ledger.units.get(id) ? { effect: 'removed', gone } : {}, unit);
    return this.reply(request, change, unit);
  }

  private async act(request: ActRequest): Promise<CloudReply> {
    const { ledger } = this;
    const id = request.infrastructureId;
    const change = this.begin(request, ledger.units.get(id)?.resourceId ?? id);
    await this.pass(sampleLatency(change.plan, change.draw));
    const unit = ledger.units.get(id);
    this.mayFail(request, change, unit);
    if (!unit) throw ledger.fail(request, new DriverError('notFound', `unit ${id} is gone`));
    const done = actOn(unit, request);
    if (done instanceof DriverError) throw ledger.fail(request, done, unit);
    ledger.write(request, { effect: request.action, put: [done] }, done);
    this.lives.mayEnd(request, done);
    return this.reply(request, change, done);
  }

  /** The n-th call of a kind on a resource in an attempt draws the same chances in every run with the same seed. */
  private begin(request: CloudRequest, resourceId: string): Change {
    const plan = faultPlan(request.options);
    if (plan.calm) return { plan, draw: '' };
    const { taskId, attempt } = request.caller;
    // the counter begins anew with the process, the attempt goes on
    const key = `${request.call}:${resourceId}:${taskId}:${attempt}`;
    const count = (this.draws.get(key) ?? 0) + 1;
    this.draws.set(key, count);
    return { plan, draw: `${key}:${count}` };
  }

  private mayFail(request: CloudRequest, change: Change, unit: FakeUnit | undefined): void {
    const subject = request.call === 'create' ? request.unit : unit;
    const call = `${subject?.kind ?? ''}.${nameOf(request)}`;
    if (subject && this.ledger.refusalsOf(request.call, subject) < refusalsOf(change.plan, call))
      throw this.ledger.fail(request, new DriverError('permanent', `${call} was refused, as asked for`), unit);
    if (!this.happens(change, 'errorRate')) return;
    throw this.ledger.fail(request, new DriverError('transient', 'an error, as asked for by errorRate'), unit);
  }

  private reply(request: CloudRequest, change: Change, unit: FakeUnit): CloudReply {
    if (!this.happens(change, 'lostReplies')) return { units: [unit] };
    throw this.ledger.fail(request, new DriverError('transient', 'the answer was lost, as asked for'), unit);
  }

  private happens({ plan, draw }: Change, fault: 'errorRate' | 'lostReplies' | 'failDelete'): boolean {
    return plan[fault] > 0 && chance(plan.seed, `${fault}:${draw}`) < plan[fault];
  }

  private async pass(ms: number): Promise<void> {
    if (ms <= 0) return;
    try {
      await delay(ms, undefined, { signal: this.closing.signal });
    } catch (cause) {
      throw new DriverError('transient', 'the fake cloud is closed', { cause });
    }
  }
}

/** As in the option `refuse`. */
const nameOf = (request: CloudRequest): string =>
  request.call === 'act' ? request.action : request.call === 'remove' ? 'delete' : request.call;
