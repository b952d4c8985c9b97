/** So many steps are taken between two checks of the clock. */
const STEPS = 64;
/** What a simulation counts at least: it takes about as long as so many nodes. */
const SIMULATION = 16;
/** One step for so many nodes that a simulation places on. */
const NODES_PER_STEP = 8;

/** Milliseconds in which an explanation looks for remedies, its preparation included: it is complete within 100 ms. */
export const REMEDY_SEARCH_MS = 75;

/**
 * The time that a search has. The clock is checked once in 64 steps, since that takes as long as a step, and not before the first 64: a
 * small fleet is searched to the end also where another process took the time.
 */
export class SearchTime {
  private steps = 0;
  private isOver = false;

  private readonly simulation: number;

  /** `nodes`: how many a simulation places on. */
  constructor(
    private readonly hasTime: () => boolean,
    nodes: number,
  ) {
    this.simulation = Math.max(SIMULATION, nodes / NODES_PER_STEP);
  }

  /** Says whether there is time for one more node. */
  readonly forNode = (): boolean => this.isLeft(1);

  /** Says whether there is time for one more simulation. */
  readonly forSimulation = (): boolean => this.isLeft(this.simulation);

  private isLeft(steps: number): boolean {
    this.steps += steps;
    if (this.steps > STEPS && !this.isOver) {
      this.steps = steps;
      this.isOver = !this.hasTime();
    }
    return !this.isOver;
  }
}
