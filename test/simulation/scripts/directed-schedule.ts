import { commandSubject, epochSubject, heartbeatReplySubject, memberSubject, type ServiceName } from '@stave/contracts';
import type { RecordedEvent } from '@stave/platform';
import type { Environment } from '../environment/environment.js';
import type { Process } from '../kernel/process.js';
import type { Message, Script } from '../kernel/script.js';
import type { Simulator } from '../kernel/simulator.js';

/** Returns whether a subject is that of this command, from a conductor of any group. */
function commandOf(service: ServiceName, resource: string, verb: string): (subject: string) => boolean {
  const [before = '', after = ''] = memberSubject('<group>', service, resource, verb).split('<group>');
  const common = commandSubject(service, resource, verb);
  return subject => subject === common || (subject.startsWith(before) && subject.endsWith(after));
}

export const isRegistration = commandOf('cluster-service', 'conductor', 'register');
export const isTable = commandOf('cluster-service', 'conductor', 'table');
export const isClaim = commandOf('nodegroup-service', 'task', 'claim');

/** A conductor learns of the end of its session this long after it was frozen. */
const UNINFORMED_MS = 1_000;

export interface Member {
  readonly conductor: string;
  readonly session: string;
}

/** The base class of scripts; it decides nothing. */
export class DirectedSchedule implements Script {
  protected readonly sim: Simulator;
  private readonly endings = new Map<string, () => void>();
  private readonly uninformed = new Map<string, number>();

  constructor(protected readonly environment: Environment) {
    this.sim = environment.outside.sim;
  }

  start(): void {
    // most scripts only react
  }

  recorded({ stream, type, data }: RecordedEvent): void {
    const member = data as Member;
    if (type === 'ConductorJoined') this.joined(member);
    else if (type === 'TaskClaimed') this.claimed(member, stream);
    else if (type === 'ConductorExpired' || type === 'ConductorLeft') this.endings.get(member.session)?.();
  }

  takes({ to, subject }: Message, _deliver: () => void): boolean {
    const informs =
      subject === epochSubject || (subject.startsWith(heartbeatReplySubject('')) && subject.endsWith(`.${to.name}`));
    return informs && (this.uninformed.get(to.name) ?? 0) > this.sim.now;
  }

  stopsFeeds(_process: Process): boolean {
    return false;
  }

  freezeAtChangeMs(..._change: Parameters<Script['freezeAtChangeMs']>): number {
    return 0;
  }

  protected joined(_member: Member): void {
    // most scripts wait for claims
  }

  protected claimed(_member: Member, _stream: string): void {
    // most scripts wait for something else
  }

  protected conductor(id: string): Process | undefined {
    return this.environment.conductors.find(({ name }) => name === id);
  }

  /**
   * Freezes the conductor until its session has ended, at most for `ms`. It learns of that end from the ring only after
   * it had time to start a change.
   */
  protected freezeUntilEnded({ conductor, session }: Member, ms: number): void {
    const process = this.conductor(conductor);
    if (!process || process.frozen) return;
    this.uninformed.set(conductor, this.sim.now + ms + UNINFORMED_MS);
    process.freeze(ms);
    this.endings.set(session, () => {
      this.uninformed.set(conductor, this.sim.now + UNINFORMED_MS);
      process.thaw();
    });
  }
}
