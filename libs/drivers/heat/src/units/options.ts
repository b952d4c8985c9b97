import type { NodeSpec } from '@stave/driver-sdk';

/** The options that all drivers on Heat have; the manifests have their schema. */
export interface HeatOptions {
  readonly readyTimeoutSeconds: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Returns the options of a node: its own win over those of its cluster. */
export function optionsOf({ options, cluster }: Pick<NodeSpec, 'options' | 'cluster'>): HeatOptions {
  const all: Partial<HeatOptions> = { ...cluster.options, ...options };
  return { readyTimeoutSeconds: all.readyTimeoutSeconds ?? 600, metadata: all.metadata ?? {} };
}
