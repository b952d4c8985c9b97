export interface ResourceView {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly revision: number;
  readonly status?: string;
  readonly statusReason?: string;
  readonly operationId?: string;
}

export interface ClusterView extends ResourceView {
  readonly description?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly driver: string;
  readonly conductorGroup: string;
  readonly health: string;
  readonly nodeCounts: { readonly total: number; readonly ready: number };
}

export interface NodeGroupView extends ResourceView {
  readonly clusterId: string;
  readonly count: number;
  readonly minCount: number;
  readonly maxCount?: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly conductorGroup: string | null;
  readonly nodesReady: number;
  readonly nodesTotal: number;
  readonly nodesOutdated: number;
}

export interface ReleaseView {
  readonly since: string;
  readonly until: string;
  readonly onTimeout: string;
  readonly url?: string;
  readonly delivery?: string;
}

export interface NodeView extends ResourceView {
  readonly release?: ReleaseView;
  readonly nodeGroupId: string;
  readonly clusterId: string;
  readonly ordinal: number;
  readonly zone?: string;
  readonly role: string;
  readonly flavor: { readonly cpus: number; readonly memoryMb: number };
  readonly image?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly effect: string }[];
  readonly schedulable: boolean;
  readonly utilisation: 'unknown' | { readonly cpuCores: number; readonly history: readonly object[] };
  readonly attempts: number;
  readonly infrastructureId?: string;
  readonly conductorGroup: string;
}

export interface ContainerView extends ResourceView {
  readonly release?: ReleaseView;
  readonly clusterId: string;
  readonly nodeId: string | null;
  readonly placement: Readonly<Record<string, unknown>> | null;
  readonly exitCode: number | null;
  readonly restarts: number;
  readonly health: string;
  readonly image: string;
  readonly setId: string | null;
  readonly ordinal: number | null;
}

export interface ContainerSetView extends ResourceView {
  readonly clusterId: string;
  readonly desired: number;
  readonly profileRevision: number;
  readonly counts: Readonly<Record<'total' | 'available' | 'outdated' | 'pending' | 'failed', number>>;
  readonly rollout: { readonly from: number; readonly to: number; readonly status: string } | null;
}

export interface CloudEventView {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly position: string;
  readonly cluster?: string;
}
