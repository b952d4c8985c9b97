import type { TaskOutcome } from '@stave/domain';
import type { Claimed, HeldClaim, SimTask } from '../services/sim-task.js';
import type { ConductorWorld } from './conductor-world.js';
import { DriverRun, type DriverHarness } from './driver-run.js';
import type { SimSession } from './sim-session.js';

const ROOM = 4;

/** What a conductor has in flight (apps/conductor/src/work/task-runner.ts): runs tasks, reports them, gives back what never came. */
export class SimWork {
  private readonly runs = new Map<string, DriverRun>();
  private readonly concluded = new Set<string>();

  constructor(
    private readonly conductor: string,
    private readonly world: ConductorWorld,
    private readonly driverWorld: DriverHarness,
  ) {}

  get room(): number {
    return ROOM - this.runs.size;
  }

  start(session: SimSession, task: SimTask): void {
    const key = keyOf(session, task);
    if (!session.alive || this.runs.has(key) || this.concluded.has(key)) return;
    const run = new DriverRun(this.driverWorld, session, task, outcome => this.report(session, task, outcome));
    this.runs.set(key, run);
    run.start();
  }

  settle(session: SimSession, held: HeldClaim): void {
    const key = keyOf(session, held);
    const run = this.runs.get(key);
    if (run && held.superseded) run.cancel();
    if (run || this.concluded.has(key) || !session.alive) return;
    this.concluded.add(key);
    this.report(session, held, { type: 'released', reason: 'not received' });
  }

  /** Again and again until it is answered. */
  private report(session: SimSession, claimed: Claimed, outcome: TaskOutcome): void {
    const { taskId, attempt, resource } = claimed;
    const command = { taskId, attempt, conductor: this.conductor, session: session.id, outcome };
    const replica = this.world.anyReplica();
    const { host } = this.driverWorld;
    this.world.network.request<boolean>(
      host,
      replica?.process,
      reply => replica?.desk.report(resource, command, reply),
      stale => {
        if (stale === undefined) host.after(500, () => session.alive && this.report(session, claimed, outcome));
        else this.conclude(keyOf(session, claimed));
      },
    );
  }

  private conclude(key: string): void {
    if (!this.runs.delete(key)) return;
    this.concluded.add(key);
  }
}

const keyOf = (session: SimSession, { taskId, attempt }: Claimed): string => `${session.id}/${taskId}/${attempt}`;
