import { factOf, numberIn, textIn, type BrokenPromise, type HistoryEvent } from './history.js';

/** One attempt at a task, from its claim to its report or expiry. */
export interface Attempt {
  readonly resource: string;
  readonly taskId: string;
  readonly kind: string;
  readonly generation: number;
  readonly attempt: number;
  readonly conductor: string;
  readonly session: string;
  readonly position: number;
  readonly claimedAt: string;
}

const ends = new Set(['taskCompleted', 'taskFailed', 'taskReleased']);

/** Tracks from the events when each session held each task, and records broken promises. */
export class ClaimHistory {
  readonly broken: BrokenPromise[] = [];
  /** The ISO time of the end of each session, by session id. */
  readonly sessionEnds = new Map<string, string>();
  private readonly attempts = new Map<string, Attempt>();
  private readonly current = new Map<string, Attempt>();

  constructor(events: readonly HistoryEvent[]) {
    for (const event of events) this.take(event);
  }

  find(taskId: string, attempt: number): Attempt | undefined {
    return this.attempts.get(`${taskId}/${attempt}`);
  }

  /** Returns all attempts of a resource (`node/<id>`) in order. */
  of(resource: string): readonly Attempt[] {
    return [...this.attempts.values()].filter(each => each.resource === resource);
  }

  private take(event: HistoryEvent): void {
    const fact = factOf(event);
    if (fact === 'conductorExpired' || fact === 'conductorLeft')
      this.sessionEnds.set(textIn(event, 'session'), event.time);
    else if (fact === 'taskClaimed') this.claimed(event);
    else if (fact === 'taskProgressed' || ends.has(fact)) this.reported(event, fact);
    else if (fact === 'deleted') this.current.delete(event.subject);
  }

  private claimed(event: HistoryEvent): void {
    const { subject: resource, position, time: claimedAt } = event;
    const claim: Attempt = {
      resource,
      taskId: textIn(event, 'taskId'),
      kind: textIn(event, 'kind'),
      generation: numberIn(event, 'generation'),
      attempt: numberIn(event, 'attempt'),
      conductor: textIn(event, 'conductor'),
      session: textIn(event, 'session'),
      position: Number(position),
      claimedAt,
    };
    const holder = this.current.get(resource);
    if (holder && !this.sessionEnds.has(holder.session))
      this.note('claims-overlap', resource, `${describeAttempt(claim)} while ${describeAttempt(holder)} is current`);
    this.current.set(resource, claim);
    this.attempts.set(`${claim.taskId}/${claim.attempt}`, claim);
  }

  private reported(event: HistoryEvent, fact: string): void {
    const holder = this.current.get(event.subject);
    const equal = holder?.taskId === textIn(event, 'taskId') && (holder?.attempt ?? 0) === numberIn(event, 'attempt');
    if (!equal) this.note('stale-report-counted', event.subject, `${fact} of attempt ${numberIn(event, 'attempt')}`);
    else if (ends.has(fact)) this.current.delete(event.subject);
  }

  private note(promise: BrokenPromise['promise'], resource: string, detail: string): void {
    this.broken.push({ promise, resource, detail });
  }
}

/** Formats an attempt for an error message. */
export function describeAttempt({ kind, generation, attempt, conductor }: Attempt): string {
  return `${kind} g${generation} attempt ${attempt} of ${conductor}`;
}
