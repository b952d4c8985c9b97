import { RefusedError, type RecoveredRequest } from '@stave/contracts';
import { accept, decideRecoveredLog, isSuspect, reportOfLostTask, truncate, type Work } from '@stave/domain';
import type { TaskKindOf, TaskResource } from '@stave/driver-sdk';
import { conductorActor } from '../resources/new-events.js';
import { NewerEvents } from '../events/newer-events.js';
import type { RingFollower } from '../ring/ring-follower.js';
import type { TaskSource } from './task-source.js';

const MOST_LINES = 10;
const LONGEST_LINE = 300;
/** How long the end of a task waits for the last log lines of its last conductor, which the next process finds when it starts. */
const RECOVERY_GRACE_MS = 10_000;

/** Called when a task ended because its conductors died too often in a row, or could not be ended. */
export type OnLost = (fields: { readonly resource: string; readonly reason?: string; readonly err?: unknown }) => void;

/**
 * Ends the tasks whose conductors died too often in a row. After the second death in a row a task is suspect: a session runs at most one
 * such task at a time, so that tasks that died with the conductor of another are not blamed for it.
 */
export class LostTasks<S, R extends TaskResource> {
  /** The sessions that hold suspect tasks, by resource. */
  private readonly suspects = new Map<string, string>();
  /** The tasks that are about to end, by resource, and whether the end is under way. */
  private readonly ending = new Map<string, 'waiting' | 'under way'>();

  constructor(
    private readonly source: TaskSource<S, R>,
    private readonly ring: Pick<RingFollower, 'view'>,
    private readonly onLost: OnLost = () => undefined,
    private readonly graceMs = RECOVERY_GRACE_MS,
    private readonly newer: Pick<NewerEvents, 'found'> = new NewerEvents(),
  ) {}

  /** To be called with the current work of the resource when it, or the ring, has changed. */
  track(id: string, work: Work<TaskKindOf<R>>): void {
    const { claim } = work;
    if (claim && this.isLive(claim.session) && isSuspect(work, this.isLive)) this.suspects.set(id, claim.session);
    else this.suspects.delete(id);
    if (this.reportOf(work)) this.endSoon(id, work);
  }

  /** Returns whether the session may be given the task of this resource now. */
  admits(id: string, work: Work<TaskKindOf<R>>, session: string): boolean {
    if (this.reportOf(work)) {
      this.endSoon(id, work);
      return false;
    }
    if (!isSuspect(work, this.isLive) || this.suspects.get(id) === session) return true;
    for (const holder of this.suspects.values()) if (holder === session) return false;
    this.suspects.set(id, session);
    return true;
  }

  async recovered({ attempts }: RecoveredRequest): Promise<void> {
    const { model, work, context } = this.source;
    for (const { resource, taskId, conductor, attempt, lines } of attempts) {
      const kept = lines.slice(-MOST_LINES).map(line => truncate(line, LONGEST_LINE));
      const log = { taskId, conductor, attempt, lines: kept };
      try {
        await model.execute(
          resource.id,
          state => decideRecoveredLog(log, work(state)),
          state => ({ ...context(state), actor: conductorActor(conductor) }),
        );
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
      }
    }
  }

  private readonly isLive = (session: string): boolean => this.ring.view.isLive(session);

  private reportOf(work: Work<TaskKindOf<R>>) {
    return reportOfLostTask(work, { epoch: this.ring.view.epoch, isLive: this.isLive });
  }

  private endSoon(id: string, { wanted, claim }: Work<TaskKindOf<R>>): void {
    const state = this.ending.get(id);
    if (state === 'under way') return;
    if (wanted?.recovered?.some(({ attempt }) => attempt === claim?.attempt)) return this.end(id);
    if (state !== undefined) return;
    this.ending.set(id, 'waiting');
    setTimeout(() => this.ending.get(id) === 'waiting' && this.end(id), this.graceMs).unref();
  }

  /** Fails the task. A failed attempt is repeated when a conductor asks for work. A replica that cannot read every event decides nothing. */
  private end(id: string): void {
    if (this.newer.found) return;
    this.ending.set(id, 'under way');
    let reason: string | undefined;
    const { model, work, report, context } = this.source;
    model
      .execute(
        id,
        state => {
          const lost = this.reportOf(work(state));
          reason = lost?.outcome.type === 'failed' ? lost.outcome.message : undefined;
          return lost ? report(lost, state) : accept();
        },
        context,
      )
      .then(
        () => reason !== undefined && this.onLost({ resource: id, reason }),
        (err: unknown) => err instanceof RefusedError || this.onLost({ resource: id, err }),
      )
      .finally(() => this.ending.delete(id));
  }
}
