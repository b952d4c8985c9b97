import type { ProfileName } from '../profiles.js';
import type { ScriptName } from '../scripts/scripts.js';

/** Disables a check or a step of the product, and names the broken promises by which the simulation must notice it. */
export interface Mutation {
  readonly name: string;
  readonly profile: ProfileName;
  readonly noticedBy: readonly string[];
  /** A script that causes schedules which are too rare by chance. */
  readonly script?: ScriptName;
  /** Applies the mutation and returns the function that restores the product. */
  readonly apply: () => () => void;
}
