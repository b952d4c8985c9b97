import type { Process } from '../kernel/process.js';
import { SILENCE_MS } from '../ports/elections.js';
import type { Environment } from './environment.js';

/** Kills, freezes, cuts off and restarts processes at random until the faults end. */
export class Faults {
  constructor(private readonly environment: Environment) {}

  start(): void {
    const { sim } = this.environment.outside;
    sim.after(sim.random.within(sim.profile.faultEveryMs), () => {
      if (!sim.faults) return;
      this.strike();
      this.start();
    });
  }

  /** Ends all faults: every process runs from here on. */
  stop(): void {
    const { sim, elections } = this.environment.outside;
    sim.faults = false;
    for (const process of this.environment.processes) {
      process.thaw();
      process.start();
    }
    elections.hold();
  }

  private strike(): void {
    const { sim, elections, network } = this.environment.outside;
    const { random, profile } = sim;
    const victim = random.pick(this.environment.processes);
    if (!victim?.up) return;
    const kind = random.next();
    if (kind < profile.killed) this.kill(victim);
    else if (kind < profile.killed + profile.frozen) victim.freeze(random.within(profile.freezeMs));
    else network.isolate(victim, random.within(profile.cutMs));
    sim.after(SILENCE_MS, () => elections.replaceSilent());
    if (random.chance(0.3)) elections.hold();
    if (random.chance(profile.documentsLost)) this.environment.loseDocuments();
  }

  private kill(victim: Process): void {
    const { sim } = this.environment.outside;
    victim.kill();
    sim.after(sim.random.within(sim.profile.downMs), () => victim.start());
  }
}
