import type { Process } from '../kernel/process.js';
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
    this.world.elect();
  }

  private next(): void {
    const { sim } = this.world;
    sim.after(sim.random.int(500, 9_000), () => {
      if (!sim.faults) return;
      this.strike();
      this.next();
    });
  }

  private strike(): void {
    const { random } = this.world.sim;
    const victim = random.pick(this.processes());
    if (!victim?.up) return;
    const kind = random.next();
    if (kind < 0.35) this.kill(victim);
    else if (kind < 0.7) victim.freeze(random.int(500, 25_000));
    else this.world.network.isolate(victim, random.int(500, 15_000));
    if (random.chance(0.3)) this.world.elect();
  }

  private kill(victim: Process): void {
    const { sim } = this.world;
    victim.kill();
    sim.after(sim.random.int(100, 10_000), () => {
      if (!victim.up) victim.start();
      this.world.elect();
    });
  }

  private processes(): readonly Process[] {
    return [...this.world.replicas, ...this.world.conductors].map(({ process }) => process);
  }
}
