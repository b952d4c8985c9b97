import { isHeartbeatSubject } from '@stave/contracts';
import type { Message } from '../kernel/script.js';
import { DirectedSchedule, isRegistration, type Member } from './directed-schedule.js';

/**
 * The first registration of each conductor arrives after a later one of the same conductor, which has claimed a task.
 */
export class LateRegistrations extends DirectedSchedule {
  private readonly late = new Map<string, () => void>();
  private readonly delivered = new Set<string>();

  override takes(message: Message, deliver: () => void): boolean {
    const { from, subject, kind } = message;
    if (!isRegistration(subject) || kind !== 'request' || this.late.has(from.name))
      return super.takes(message, deliver);
    this.late.set(from.name, deliver);
    return true;
  }

  protected override claimed(member: Member): void {
    const { conductor } = member;
    if (this.delivered.has(conductor)) return;
    this.delivered.add(conductor);
    this.freezeUntilEnded(member, 1_000);
    this.late.get(conductor)?.();
  }
}

const RESTART_EVERY_MS = 9_000;
const DOWN_MS = 1_500;
const UNHEARD_MS = 3_000;

/** All conductors restart together from time to time, and the first heartbeats of new sessions are lost. */
export class UnheardSessions extends DirectedSchedule {
  private readonly joinedAt = new Map<string, number>();

  override start(): void {
    this.sim.after(RESTART_EVERY_MS, () => {
      if (!this.sim.faults) return;
      for (const process of this.environment.conductors) {
        process.kill();
        this.sim.after(DOWN_MS, () => process.start());
      }
      this.start();
    });
  }

  override takes(message: Message, deliver: () => void): boolean {
    const { from, subject } = message;
    return (isHeartbeatSubject(subject) && this.isUnheard(from.name)) || super.takes(message, deliver);
  }

  protected override joined({ conductor }: Member): void {
    this.joinedAt.set(conductor, this.sim.now);
  }

  protected override claimed(member: Member): void {
    if (this.isUnheard(member.conductor)) this.freezeUntilEnded(member, UNHEARD_MS);
  }

  private isUnheard(conductor: string): boolean {
    return this.sim.now - (this.joinedAt.get(conductor) ?? this.sim.now) < UNHEARD_MS;
  }
}

const PERIOD_MS = 14_000;
const UNHEARD_BY_LEADER_MS = 10_000;
const CLAIMS_AFTER_MS = 5_000;
const SESSION_ENDS_WITHIN_MS = 4_000;

/**
 * The leader of cluster-service receives no heartbeat for longer than a session lasts; the other replica receives all
 * of them.
 */
export class UnheardByLeader extends DirectedSchedule {
  override takes(message: Message, deliver: () => void): boolean {
    const { to, subject } = message;
    const unheard = isHeartbeatSubject(subject) && this.unheardMs < UNHEARD_BY_LEADER_MS;
    return (unheard && this.environment.outside.elections.elects(to)) || super.takes(message, deliver);
  }

  protected override claimed(member: Member): void {
    if (this.unheardMs > CLAIMS_AFTER_MS && this.unheardMs < UNHEARD_BY_LEADER_MS)
      this.freezeUntilEnded(member, SESSION_ENDS_WITHIN_MS);
  }

  /**
   * Returns the time since the leader last received a heartbeat; each period begins with a time in which it receives
   * all.
   */
  private get unheardMs(): number {
    const heardMs = PERIOD_MS - UNHEARD_BY_LEADER_MS;
    const inPeriod = this.sim.now % PERIOD_MS;
    return inPeriod < heardMs ? Infinity : inPeriod - heardMs;
  }
}
