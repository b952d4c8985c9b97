import type { ConductorJoined } from '@stave/domain';
import { Process } from '../kernel/process.js';
import type { Replica } from '../services/replica.js';
import { DRIVER, type ClaimAnswer } from '../services/sim-task.js';
import type { ConductorWorld } from './conductor-world.js';
import type { DriverHarness } from './driver-run.js';
import { SimSession } from './sim-session.js';
import { SimSweep } from './sim-sweep.js';
import { SimWork } from './sim-work.js';

/** Registers, beats, claims, works, sweeps; gives up with its session and begins anew. */
export class SimConductor {
  readonly process: Process;
  private session: SimSession | undefined;
  private readonly driverWorld: DriverHarness;
  private sessions = 0;
  private registering = false;
  private epoch = -1;
  private work: SimWork;
  private sweeper: SimSweep;

  constructor(
    readonly name: string,
    private readonly group: string,
    private readonly world: ConductorWorld,
  ) {
    this.process = new Process(name, world.sim, () => this.boot());
    this.driverWorld = { ...world, host: this.process };
    this.work = this.newWork();
    this.sweeper = this.newSweeper();
  }

  private newWork(): SimWork {
    return new SimWork(this.name, this.world, this.driverWorld);
  }

  private newSweeper(): SimSweep {
    return new SimSweep(this.driverWorld, () => this.world.anyReplica());
  }

  private boot(): void {
    this.session = undefined;
    this.registering = false;
    this.epoch = -1;
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
    this.work = this.newWork();
    this.registering = true;
    const replica = this.world.anyReplica();
    this.world.network.request<number>(
      this.process,
      replica?.process,
      reply => reply(replica?.registrar.epoch() ?? -1),
      epoch => {
        if (epoch === undefined) this.registering = false;
        else this.join(epoch);
      },
    );
  }

  private join(basedOn: number): void {
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
    const replica = this.world.anyReplica();
    this.world.network.request<boolean>(
      this.process,
      replica?.process,
      reply => replica?.registrar.register(data, basedOn, reply),
      joined => {
        this.registering = false;
        if (joined && !this.session) this.begin(new SimSession(id, this.process, sentAt, this.world.mutation));
      },
    );
  }

  private begin(session: SimSession): void {
    if (!session.alive) return;
    this.session = session;
    this.claimSoon(session);
    this.sweepSoon(session);
  }

  /** Every replica hears it and answers. */
  private beat(session: SimSession): void {
    const { replicas, network } = this.world;
    const sentAt = this.process.clock();
    for (const replica of replicas)
      network.send(this.process, replica.process, () => {
        const { status, epoch } = replica.keeper.beat(session.id);
        network.send(replica.process, this.process, () => {
          if (status === 'ok') session.answered(sentAt);
          else if (status === 'ended') session.end();
          this.epoch = Math.max(this.epoch, epoch);
        });
      });
  }

  private claimSoon(session: SimSession): void {
    const { sim } = this.world;
    this.process.after(sim.random.int(200, 1_000), () => {
      if (!session.alive) return;
      this.claim(session);
      this.claimSoon(session);
    });
  }

  private claim(session: SimSession): void {
    const max = this.work.room;
    if (max <= 0) return;
    const replica: Replica | undefined = this.world.anyReplica();
    const body = { conductor: this.name, session: session.id, epoch: this.epoch, max };
    this.world.network.request<ClaimAnswer>(
      this.process,
      replica?.process,
      reply => replica?.desk.claim(body, reply),
      answer => answer && this.take(session, answer),
    );
  }

  private take(session: SimSession, { ended, epoch, tasks, held }: ClaimAnswer): void {
    if (ended) session.end();
    if (!session.alive) return;
    this.epoch = Math.max(this.epoch, epoch);
    for (const task of tasks) this.work.start(session, task);
    for (const claim of held) this.work.settle(session, claim);
  }

  private sweepSoon(session: SimSession): void {
    this.process.after(this.world.sim.random.int(5_000, 10_000), () => {
      if (!session.alive) return;
      this.sweeper.sweep(session);
      this.sweepSoon(session);
    });
  }
}
