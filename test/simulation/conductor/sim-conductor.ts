import type { ConductorJoined, Outcome } from '@stave/domain';
import { Process } from '../kernel/process.js';
import type { Replica } from '../services/replica.js';
import { DRIVER, type ClaimAnswer, type SimTask } from '../services/task-desk.js';
import { DriverRun, type DriverWorld } from './driver-run.js';
import { SimSession } from './sim-session.js';
import { SimSweep } from './sim-sweep.js';
import type { ConductorWorld } from './conductor-world.js';

const ROOM = 4;

/** Registers, beats, claims, works, reports, sweeps; gives up with its session and begins anew. */
export class SimConductor {
  readonly process: Process;
  private session: SimSession | undefined;
  private readonly driverWorld: DriverWorld;
  private inFlight = new Map<string, SimTask>();
  private sessions = 0;
  private registering = false;
  private sweeper: SimSweep;

  constructor(
    readonly name: string,
    private readonly group: string,
    private readonly world: ConductorWorld,
  ) {
    this.process = new Process(name, world.sim, () => this.boot());
    this.driverWorld = { ...world, host: this.process };
    this.sweeper = this.newSweeper();
  }

  private get guarded(): boolean {
    return this.world.mutation !== 'session-guard';
  }

  private newSweeper(): SimSweep {
    return new SimSweep(this.driverWorld, () => this.world.anyReplica());
  }

  private boot(): void {
    this.session = undefined;
    this.registering = false;
    this.inFlight = new Map();
    this.sweeper = this.newSweeper();
    this.tick();
  }

  private tick(): void {
    const { session, process } = this;
    if (session && !session.alive) this.session = undefined;
    if (this.session) this.beat(this.session);
    else if (!this.registering) this.register();
    process.after(2_000, () => this.tick());
  }

  /** Each try is a session of its own, and says how far the ring was when the try began. */
  private register(): void {
    this.inFlight = new Map();
    this.registering = true;
    const replica = this.world.anyReplica(true);
    this.world.network.request<number>(
      this.process,
      replica?.process,
      reply => reply(replica?.models.refreshRing().epoch ?? -1),
      epoch => {
        if (epoch === undefined) this.registering = false;
        else this.join(epoch, replica);
      },
    );
  }

  private join(epoch: number, replica: Replica | undefined): void {
    const id = `${this.name}.${++this.sessions}`;
    const sentAt = this.process.clock();
    const data: ConductorJoined = {
      conductor: this.name,
      session: id,
      group: this.group,
      drivers: [{ ...DRIVER, manifest: {} }],
      weight: 1,
      release: '1.0.0',
      keyMode: 'group',
      kind: 'conductor',
    };
    this.world.network.request<boolean>(
      this.process,
      replica?.process,
      reply => replica?.registrar.join(data, epoch, reply),
      joined => {
        this.registering = false;
        if (joined && !this.session) this.begin(new SimSession(id, this.process, sentAt, this.guarded));
      },
    );
  }

  private begin(session: SimSession): void {
    if (!session.alive) return;
    this.session = session;
    this.claimSoon(session);
    this.sweepSoon(session);
  }

  private beat(session: SimSession): void {
    const { replicas, network } = this.world;
    const sentAt = this.process.clock();
    for (const replica of replicas)
      network.send(this.process, replica.process, () => {
        const status = replica.registrar.beat(session.id);
        if (replica.registrar.elected)
          network.send(replica.process, this.process, () => {
            if (status === 'ok') session.answered(sentAt);
            else if (status === 'ended') session.end();
          });
      });
  }

  private claimSoon(session: SimSession): void {
    const { sim, network, anyReplica } = this.world;
    this.process.after(sim.random.int(200, 1_000), () => {
      if (!session.alive) return;
      const max = ROOM - this.inFlight.size;
      const replica = anyReplica();
      const body = { conductor: this.name, session: session.id, max };
      if (max > 0)
        network.request<ClaimAnswer | undefined>(
          this.process,
          replica?.process,
          reply => replica?.desk.claim(body, reply),
          answer => answer && this.take(session, answer),
        );
      this.claimSoon(session);
    });
  }

  private take(session: SimSession, { tasks, stop }: ClaimAnswer): void {
    for (const task of tasks) this.run(session, task);
    const unknown = stop.filter(({ taskId, attempt }) => !this.inFlight.has(`${taskId}/${attempt}`));
    for (const task of unknown) this.report(session, task, { type: 'released', reason: 'not held' });
  }

  private run(session: SimSession, task: SimTask): void {
    const key = `${task.taskId}/${task.attempt}`;
    if (!session.alive || this.inFlight.has(key)) return;
    this.inFlight.set(key, task);
    new DriverRun(this.driverWorld, session, task, outcome => this.report(session, task, outcome)).start();
  }

  /** Again and again until it is answered. */
  private report(session: SimSession, task: SimTask, outcome: Outcome): void {
    const { network, anyReplica } = this.world;
    const replica = anyReplica();
    const { taskId, attempt, resource } = task;
    const command = { taskId, attempt, conductor: this.name, session: session.id, outcome };
    network.request<boolean>(
      this.process,
      replica?.process,
      reply => replica?.desk.report(resource.type, resource.id, command, reply),
      stale => {
        if (stale === undefined) this.process.after(500, () => session.alive && this.report(session, task, outcome));
        else this.inFlight.delete(`${taskId}/${attempt}`);
      },
    );
  }

  private sweepSoon(session: SimSession): void {
    this.process.after(this.world.sim.random.int(5_000, 10_000), () => {
      if (!session.alive) return;
      this.sweeper.sweep(session);
      this.sweepSoon(session);
    });
  }
}
