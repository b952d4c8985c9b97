import type { components } from '@stave/client';

type Schemas = components['schemas'];
export type Cluster = Schemas['Cluster'];
export type NodeGroup = Schemas['NodeGroup'];
export type Node = Schemas['Node'];
export type Container = Schemas['Container'];
export type Operation = Schemas['Operation'];
export type Step = Schemas['OperationStep'];
export type Conductor = Schemas['Conductor'];
export type StaveEvent = Schemas['EventPage']['items'][number];

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly total?: number;
}
