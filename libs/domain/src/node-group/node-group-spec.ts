import type { Taint } from '@stave/driver-sdk';
import type { UpdateStrategy } from './update-strategy.js';

export interface FlavorSpec {
  readonly name?: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskGb?: number;
}

export interface ZoneSpec {
  readonly name: string;
  readonly region?: string;
}

/** The fully resolved attributes of a group of identical nodes. */
export interface NodeGroupSpec {
  readonly role: 'manager' | 'worker';
  readonly count: number;
  readonly minCount: number;
  readonly maxCount?: number;
  readonly flavor: FlavorSpec;
  readonly image?: string;
  readonly dataVolumeGb?: number;
  readonly zones: readonly ZoneSpec[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** null follows the conductor group of the cluster. */
  readonly conductorGroup: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  readonly updateStrategy?: UpdateStrategy;
}
