import type { ProfileName } from '../profiles.js';

/** A check or a step of the product that is taken out, and the broken promises by which the simulation notices. */
export interface Mutation {
  readonly name: string;
  readonly profile: ProfileName;
  readonly noticedBy: readonly string[];
  /** Noticed in few schedules only: played when SIMULATION_MUTATION_SEEDS gives more of them. */
  readonly rare?: true;
  /** Takes it out; returns the function that restores it. */
  readonly apply: () => () => void;
}
