/** So many steps are taken between two checks of the clock. */
const STEPS = 64;
/** What a simulation counts: it takes about as long as so many nodes. */
const SIMULATION = 16;

/**
 * The time that a search has. The clock is checked once in 64 steps, since that takes as long as a step, and not before the first 64: a
 * small fleet is searched to the end also where another process took the time.
 */
export class SearchTime {
  private steps = 0;
  private isOver = false;

  constructor(private readonly hasTime: () => boolean) {}

  /** Says whether there is time for one more node. */
  readonly forNode = (): boolean => this.isLeft(1);

  /** Says whether there is time for one more simulation. */
  readonly forSimulation = (): boolean => this.isLeft(SIMULATION);

  private isLeft(steps: number): boolean {
    this.steps += steps;
    if (this.steps > STEPS && !this.isOver) {
      this.steps = steps;
      this.isOver = !this.hasTime();
    }
    return !this.isOver;
  }
}
