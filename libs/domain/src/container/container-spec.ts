import type { HealthCheck } from '@stave/driver-sdk';
import type { Problem } from '../kernel/decider.js';
import type { AffinityRule, Labels, SpreadRule, Toleration } from '../placement/model.js';

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
  readonly accessMode?: 'shared' | 'exclusive';
  readonly reclaimPolicy?: 'retain' | 'delete';
}

interface ContainerPort {
  readonly containerPort: number;
  /** 0: a free one, which the scheduler chooses. */
  readonly hostPort?: number;
  readonly protocol?: 'tcp' | 'udp';
}

/** Names a secret of the project, which is read when the container is created and never stored. */
export interface SecretReference {
  readonly secret: string;
}

/** The complete description of how a container is started. A profile has one, and every container created from it has a copy. */
export interface ContainerContents {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string | SecretReference>>;
  readonly resources: { readonly cpus?: number; readonly memoryMb?: number };
  readonly network?: ContainerNetwork;
  readonly volumes: readonly ContainerVolume[];
  readonly ports: readonly ContainerPort[];
  readonly restartPolicy: 'no' | 'on-failure' | 'always' | 'unless-stopped';
  readonly healthCheck?: HealthCheck;
  /** What the registry of the image asks for: `<user>:<password>`. */
  readonly imageCredentials?: SecretReference;
  /** When the image is pulled; absent in contents of earlier releases. */
  readonly pullPolicy?: 'ifMissing' | 'always' | 'never';
  /** How long its processes may take to end before they are killed. */
  readonly stopGraceSeconds?: number;
  /** With false only an operator moves the container to another node. */
  readonly movable?: boolean;
  readonly labels: Labels;
  /** The resources that the node must have. */
  readonly nodeSelector?: Labels;
  readonly zone?: string;
  readonly region?: string;
  readonly tolerations?: readonly Toleration[];
  /** As in policies, which win. */
  readonly spread?: readonly SpreadRule[];
  readonly affinity?: readonly AffinityRule[];
}

const contentDefaults = { pullPolicy: 'ifMissing', stopGraceSeconds: 10, movable: true } as const;
const checkDefaults = { intervalSeconds: 30, timeoutSeconds: 5, retries: 3, startPeriodSeconds: 0 } as const;

/** Contents in which every member with a default has a value. */
export type CompleteContents = ContainerContents &
  Required<Pick<ContainerContents, keyof typeof contentDefaults>> & { readonly healthCheck?: Required<HealthCheck> };

/** Returns the contents with the defaults of what they leave open, also those of earlier releases. */
export function completeContents({ healthCheck, ...contents }: ContainerContents): CompleteContents {
  const complete = { ...contentDefaults, ...contents };
  return healthCheck ? { ...complete, healthCheck: { ...checkDefaults, ...healthCheck } } : complete;
}

/** The ids of the cluster or node that the container may run on; at least one is given. */
export interface PlacementTarget {
  readonly hostNode?: string;
  readonly hostCluster?: string;
}

/** The part of a node that the rules need. */
export interface TargetNode {
  readonly id: string;
  readonly clusterId: string;
}

/**
 * Returns the broken rules of `hostNode` and `hostCluster`: one is given (`host-required`), and the node belongs to the cluster
 * (`host-node-not-in-cluster`). `hostNode` names `node`.
 */
export function placementTargetProblems(hosts: PlacementTarget, node: TargetNode | undefined): readonly Problem[] {
  if (hosts.hostNode === undefined && hosts.hostCluster === undefined)
    return [
      { pointer: '/hostCluster', code: 'host-required', detail: 'one of hostNode and hostCluster must be given' },
    ];
  if (node && hosts.hostCluster !== undefined && node.clusterId !== hosts.hostCluster)
    return [
      { pointer: '/hostNode', code: 'host-node-not-in-cluster', detail: 'hostNode does not belong to hostCluster' },
    ];
  return [];
}
