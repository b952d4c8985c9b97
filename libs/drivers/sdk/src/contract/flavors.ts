import type { Options } from './specs.js';

/** A flavor by name, which the infrastructure knows. */
export interface WantedFlavor {
  readonly name: string;
  /** The id and the name of the project. */
  readonly project: readonly string[];
  /** The options of the cluster and of the node group, which win. */
  readonly options: Options;
}
