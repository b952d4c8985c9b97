import type { Process } from '../kernel/process.js';
import { SILENCE_MS } from './election.js';
import type { World } from './world.js';

/** Kills, stops, cuts off and restarts processes at random, until quiet time. */
export class Faults {
  constructor(private readonly world: World) {}

  start(): void {
    this.next();
  }

  /** From now on everything runs. */
  stop(): void {
    this.world.sim.faults = false;
    for (const process of this.processes()) {
      process.thaw();
      if (!process.up) process.start();
    }
    this.world.election.hold();
  }

  private next(): void {
    const { sim } = this.world;
    sim.after(sim.random.within(sim.profile.strikeMs), () => {
      if (!sim.faults) return;
      this.strike();
      this.next();
    });
  }

  private strike(): void {
    const { sim, election, network } = this.world;
    const { random, profile } = sim;
    const victim = random.pick(this.processes());
    if (!victim?.up) return;
    const kind = random.next();
    if (kind < profile.killed) this.kill(victim);
    else if (kind < profile.killed + profile.stopped) victim.freeze(random.within(profile.stopMs));
    else network.isolate(victim, random.within(profile.cutMs));
    sim.after(SILENCE_MS, () => election.holdIfSilent());
    if (random.chance(0.3)) election.hold();
  }

  private kill(victim: Process): void {
    const { sim } = this.world;
    victim.kill();
    sim.after(sim.random.within(sim.profile.downMs), () => {
      if (!victim.up) victim.start();
      this.world.election.hold();
    });
  }

  private processes(): readonly Process[] {
    return [...this.world.replicas, ...this.world.conductors].map(({ process }) => process);
  }
}
