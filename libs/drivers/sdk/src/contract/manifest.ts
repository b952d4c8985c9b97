import type { Capability } from '../capabilities.js';

export interface DriverManifest {
  readonly name: string;
  readonly version: string;
  /** Range of SDK versions, e.g. `^1`. */
  readonly sdk: string;
  /** Operates clusters built by this version or later (up to its own); default: its own minor line. */
  readonly compatibleFrom?: string;
  readonly engine: string;
  readonly os: string;
  readonly serverType: string;
  readonly capabilities: readonly Capability[];
  /** The engine cannot run without a node group of role manager. */
  readonly requiresManager?: boolean;
  /** What a cluster or node group gets where nothing else says so. */
  readonly defaults?: { readonly image?: string };
  /** The least that a node can be: whoever asks for less is refused before anything is accepted. */
  readonly minimumFlavor?: { readonly cpus?: number; readonly memoryMb?: number; readonly diskGb?: number };
  /** JSON Schema of cluster and node group options, closed (`additionalProperties: false`). */
  readonly options: Readonly<Record<string, unknown>>;
}
