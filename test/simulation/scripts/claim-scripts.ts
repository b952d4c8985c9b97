import { nodeStream } from '@stave/domain';
import type { CloudRequest } from '@stave/driver-fake';
import { Client } from '../environment/client.js';
import type { Process } from '../kernel/process.js';
import type { Message } from '../kernel/script.js';
import { DirectedSchedule, isClaim, isTable, type Member } from './directed-schedule.js';

const LATE_CONDUCTOR = 'conductor-0';
const OLD_CONDUCTOR = 'conductor-1';
const BEHIND = 'nodegroup-service-2';
const CLAIMS_HELD_FROM_MS = 10_000;
const REBOOTS_AT_MS = 12_000;
const JOINS_AT_MS = 15_000;
const SLOW_MS = 4_000;

/**
 * A conductor starts late and claims work from one replica of nodegroup-service. The other replica and the other
 * conductor of its group do not learn of it, and claim the same work.
 */
export class RingBehind extends DirectedSchedule {
  private readonly held: (() => void)[] = [];
  private phase: 'joining' | 'claimed' | 'over' = 'joining';

  override start(): void {
    const late = this.conductor(LATE_CONDUCTOR);
    this.sim.after(0, () => late?.kill());
    this.sim.after(REBOOTS_AT_MS, () => this.rebootNodes());
    this.sim.after(JOINS_AT_MS, () => late?.start());
  }

  override takes(message: Message, deliver: () => void): boolean {
    return (this.phase !== 'over' && this.directs(message, deliver)) || super.takes(message, deliver);
  }

  override stopsFeeds({ name }: Process): boolean {
    return this.phase !== 'over' && name === BEHIND && this.sim.now > JOINS_AT_MS;
  }

  protected override claimed({ conductor }: Member, stream: string): void {
    if (conductor !== LATE_CONDUCTOR || this.phase !== 'joining' || !stream.startsWith(nodeStream.category)) return;
    this.phase = 'claimed';
    this.conductor(conductor)?.freeze(SLOW_MS);
    for (const deliver of this.held) deliver();
    this.sim.after(SLOW_MS, () => (this.phase = 'over'));
  }

  private rebootNodes(): void {
    const client = new Client(this.environment.outside);
    for (const [id, { deleted }] of this.environment.reference.nodes.all)
      if (!deleted) void client.command('node', 'action', { id, action: 'reboot', type: 'hard' });
  }

  private directs({ from, to, subject, kind }: Message, deliver: () => void): boolean {
    const { now } = this.sim;
    if (kind !== 'request') return false;
    if (from.name !== OLD_CONDUCTOR) return isClaim(subject) && to.name === BEHIND;
    if (!isClaim(subject)) return isTable(subject) && now > JOINS_AT_MS;
    if (now < CLAIMS_HELD_FROM_MS || (to.name === BEHIND && this.phase === 'claimed')) return false;
    if (to.name === BEHIND) this.held.push(deliver);
    return true;
  }
}

const REPLACED_WITHIN_MS = 15_000;

/** Conductors are frozen before the first removal of a rebuild until others have built the successor. */
export class LateRemovals extends DirectedSchedule {
  override freezeAtChangeMs(process: Process, { call, caller }: CloudRequest): number {
    const isFirst = call === 'remove' && caller.operation === 'node.rebuild' && caller.attempt === 1;
    const othersRun = this.environment.conductors.every(each => each === process || !each.frozen);
    return isFirst && othersRun ? REPLACED_WITHIN_MS : 0;
  }
}
