export interface ClusterResult {
  readonly infrastructureId: string;
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
}

export interface NodeResult {
  readonly infrastructureId: string;
  readonly addresses: readonly string[];
  readonly engineVersion?: string;
  /** What containers may use of it. */
  readonly capacity: { readonly cpus: number; readonly memoryMb: number };
}

export interface ContainerResult {
  readonly infrastructureId: string;
  readonly address?: string;
}

export type UnitKind = 'cluster' | 'node' | 'container';

/** One thing on the infrastructure that carries this installation's labels. */
export interface Unit {
  /** The infrastructure's own id (container id, stack UUID), never reused. */
  readonly infrastructureId: string;
  readonly kind: UnitKind;
  readonly resourceId: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly state: 'creating' | 'running' | 'stopped' | 'failed';
  readonly exitCode?: number;
  /** Of a container: how often its engine restarted it by itself. One that waits for the next restart counts as running. */
  readonly restarts?: number;
  /** Of a node that runs: its engine did not answer, so its containers are not in the list though they may be there. */
  readonly containersUnknown?: boolean;
}

export interface ContainerStats {
  readonly cpuCores: number;
  readonly memoryMb: number;
  readonly at: string;
}

/** What a node uses now. */
export interface NodeUsage {
  readonly nodeId: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}
