import type { TaskOutcome } from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import type { Process } from '../kernel/process.js';
import type { Network } from '../kernel/network.js';
import { Violation } from '../kernel/simulator.js';
import type { SimTask } from '../services/sim-task.js';
import type { Cloud, CloudUnit } from '../world/cloud.js';
import type { EventLog } from '../world/event-log.js';
import type { Mutation } from '../world/mutation.js';
import type { SimSession } from './sim-session.js';

export interface DriverHarness {
  readonly host: Process;
  readonly network: Network;
  readonly cloud: Cloud;
  readonly log: EventLog;
  readonly mutation?: Mutation;
}

const transient: TaskOutcome = { type: 'failed', failure: 'transient', message: 'the cloud did not answer' };
const changesUnits = /\.(create|rebuild|delete)$/;
const cancelled: TaskOutcome = { type: 'released', reason: 'cancelled' };
const newer: TaskOutcome = { type: 'failed', failure: 'conflict', message: 'there is a newer unit' };

/** What a driver does for one task, by the rules of the driver SDK; between any two steps the process may die. */
export class DriverRun {
  private cancelled = false;

  constructor(
    private readonly world: DriverHarness,
    private readonly session: SimSession,
    private readonly task: SimTask,
    private readonly end: (outcome: TaskOutcome) => void,
  ) {}

  /** Something else is wanted: it stops before the next change. */
  cancel(): void {
    this.cancelled = true;
  }

  start(): void {
    const { kind, generation } = this.task;
    this.find(units => {
      if (!changesUnits.test(kind)) return this.end(doneOf(kind));
      if (kind.endsWith('.delete')) return this.destroyAll(units, generation, () => this.end(doneOf(kind)));
      if (units.some(u => u.generation > generation)) return this.end(newer);
      this.destroyAll(units, generation - 1, () => this.create());
    });
  }

  private find(then: (units: readonly CloudUnit[]) => void): void {
    this.ask(() => this.world.cloud.find(this.task.resource.id), then);
  }

  private destroyAll(units: readonly CloudUnit[], upTo: number, then: () => void): void {
    const [first, ...rest] = units.filter(unit => unit.generation <= upTo);
    if (!first) return then();
    this.change(
      () => this.world.cloud.destroy(first, upTo),
      () => this.destroyAll(rest, upTo, then),
    );
  }

  private create(): void {
    const { resource, kind, generation } = this.task;
    this.change(
      () => this.world.cloud.create(resource.type, resource.id, generation),
      () => this.end(doneOf(kind)),
    );
  }

  private change<T>(run: () => T, then: (answer: T) => void): void {
    if (this.cancelled) return this.end(cancelled);
    if (this.session.alive) this.mustHold();
    checkpoint(this.world, this.session, () => this.ask(run, then));
  }

  /** No change without the claim, by what the log says at this moment. */
  private mustHold(): void {
    const { resource, taskId, attempt } = this.task;
    if (!this.world.log.oracle.holds(`${resource.type}-${resource.id}`, { taskId, attempt, session: this.session.id }))
      throw new Violation('change-without-claim', `${this.session.id} changes ${resource.type}-${resource.id}`);
  }

  private ask<T>(run: () => T, then: (answer: T) => void): void {
    const { host, network } = this.world;
    network.request<{ readonly answer: T }>(
      host,
      undefined,
      reply => reply({ answer: run() }),
      got => {
        if (!this.session.alive) return;
        const { random, faults } = host.sim;
        if (got === undefined) this.end(transient);
        else host.after(faults ? random.int(1, 1_500) : 20, () => this.session.alive && then(got.answer));
      },
    );
  }
}

/** Immediately before a change; the process may still be stopped between this and the call itself. */
export function checkpoint({ host, log }: DriverHarness, session: SimSession, call: () => void): void {
  if (!session.alive) return;
  if (!log.oracle.live.has(session.id))
    throw new Violation('change-after-session', `${host.name} changes the cloud for ended session ${session.id}`);
  const { random, faults, profile } = host.sim;
  if (faults && random.chance(profile.stoppedAtChange)) host.freeze(random.within(profile.stopAtChangeMs));
  host.after(0, call);
}
