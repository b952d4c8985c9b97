import type { ProfileName } from '../profiles.js';
import type { ScriptName } from '../scripts/scripts.js';

/** A check or a step of the product that is taken out, and the broken promises by which the simulation notices. */
export interface Mutation {
  readonly name: string;
  readonly profile: ProfileName;
  readonly noticedBy: readonly string[];
  /** Brings about what is too rare by chance. */
  readonly script?: ScriptName;
  /** Takes it out; returns the function that restores it. */
  readonly apply: () => () => void;
}
