import { getOrCreate, mayRunMore } from '@stave/domain';
import type { ClaimRequest } from '@stave/contracts';

interface Turn {
  readonly tasks: Iterator<string>;
  running: number;
}

/**
 * Offers tasks so that projects take turns, those with the fewest running tasks first, each as far as the conductor has room for it. The
 * order of the tasks of a project is kept. A step takes the same time whatever the number of tasks.
 */
export class ProjectTurns {
  /** True when a project was left out because the conductor has no room for it. */
  heldBack = false;
  private taken = 0;
  private isTaken = false;

  constructor(private readonly room: ClaimRequest['room']) {}

  /** Returns tasks until `take` was called often enough: it is to be called for each task that is handed out, before the next one is asked for. */
  *of(queues: Iterable<readonly [string, Iterable<string>]>): Iterable<string> {
    const turns = this.turnsOf(queues);
    const active: Turn[] = [];
    let joined = 0;
    for (let level = 0; joined < turns.length || active.length > 0; level += 1) {
      if (active.length === 0) level = Math.max(level, turns[joined]?.running ?? 0);
      for (let turn = turns[joined]; turn && turn.running <= level; turn = turns[(joined += 1)]) active.push(turn);
      let kept = 0;
      for (const turn of active) if (yield* this.turnOf(turn)) active[kept++] = turn;
      active.length = kept;
    }
  }

  take(): void {
    this.taken += 1;
    this.isTaken = true;
  }

  /** Offers one task of the project after the other until one is taken. Returns whether it may have more. */
  private *turnOf(turn: Turn): Generator<string, boolean> {
    if (!this.hasRoom(turn)) return false;
    for (;;) {
      const next = turn.tasks.next();
      if (next.done) return false;
      this.isTaken = false;
      yield next.value;
      if (this.isTaken) break;
    }
    turn.running += 1;
    return true;
  }

  private hasRoom({ running }: Turn): boolean {
    const { room, taken } = this;
    if (!room || mayRunMore(running, { free: room.free - taken, limit: room.limit })) return true;
    this.heldBack = true;
    return false;
  }

  /** Those with the fewest running tasks are first. */
  private turnsOf(queues: Iterable<readonly [string, Iterable<string>]>): Turn[] {
    const byProject = new Map<string, Iterable<string>[]>();
    for (const [project, tasks] of queues) getOrCreate(byProject, project, () => []).push(tasks);
    const running = this.room?.running ?? {};
    return [...byProject]
      .map(([project, all]) => ({ tasks: chained(all), running: running[project] ?? 0 }))
      .sort((a, b) => a.running - b.running);
  }
}

function* chained(all: readonly Iterable<string>[]): Generator<string> {
  for (const each of all) yield* each;
}
