import type { Labels, Toleration } from '../placement/model.js';

type Options = Readonly<Record<string, unknown>>;

interface ContainerNetwork {
  readonly name: string;
  readonly driver?: string;
  readonly options?: Options;
  readonly ipv4?: string;
}

interface ContainerVolume {
  readonly name: string;
  readonly driver?: string;
  readonly options?: Options;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

interface ContainerPort {
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: 'tcp' | 'udp';
}

interface ContainerHealthCheck {
  readonly command: readonly string[];
  readonly intervalSeconds?: number;
  readonly retries?: number;
}

/** How a container is started, complete; a profile holds one, and every container made from it a copy. */
export interface ContainerContents {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly resources: { readonly cpus?: number; readonly memoryMb?: number };
  readonly network?: ContainerNetwork;
  readonly volumes: readonly ContainerVolume[];
  readonly ports: readonly ContainerPort[];
  readonly restartPolicy: 'no' | 'on-failure' | 'always' | 'unless-stopped';
  readonly healthCheck?: ContainerHealthCheck;
  readonly labels: Labels;
  /** What the node must offer. */
  readonly nodeSelector?: Labels;
  readonly zone?: string;
  readonly region?: string;
  readonly tolerations?: readonly Toleration[];
}

/** Where it may run: ids; at least one is given. */
export interface PlacementTarget {
  readonly hostNode?: string;
  readonly hostCluster?: string;
}
