import type { Simulator } from '../kernel/simulator.js';
import type { Replica } from '../services/replica.js';

/** Two replicas that hear each other agree within a second; the conductors' margin is two seconds. */
const STALE_BELIEF_MS = 1_500;
/** After so long without its leader the election has another. */
export const SILENCE_MS = 3_000;

/**
 * One replica is elected to keep sessions, from time to time another one. Who was elected before believes for a while longer that it
 * still is; one that stands still, until it goes on, and only after it answered what waited for it.
 */
export class Election {
  private elected: Replica | undefined;

  constructor(
    private readonly sim: Simulator,
    private readonly replicas: readonly Replica[],
  ) {}

  hold(): void {
    const { random } = this.sim;
    const chosen = random.pick(this.replicas.filter(({ process }) => process.up && !process.frozen));
    if (!chosen) return;
    this.elected = chosen;
    chosen.keeper.lead(true);
    for (const other of this.replicas)
      if (other !== chosen) this.sim.after(random.int(0, STALE_BELIEF_MS), () => this.stepDown(other));
  }

  holdIfSilent(): void {
    if (!this.elected?.process.up || this.elected.process.frozen) this.hold();
  }

  private stepDown(other: Replica): void {
    other.process.deliver(() => {
      if (other !== this.elected) other.keeper.lead(false);
    });
  }
}
