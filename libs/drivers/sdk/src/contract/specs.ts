import type { LeavingAttachment, NodeAttachments } from './attachments.js';
import type { Machine } from './machines.js';

/** The size of a node: CPU cores, memory in MiB, disk in GiB. */
export interface Flavor {
  readonly name?: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskGb?: number;
}

/** Keeps containers off a node unless they tolerate it; the effects are those of Kubernetes. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export type Labels = Readonly<Record<string, string>>;
/** Driver options as the manifest's schema allows them. */
export type Options = Readonly<Record<string, unknown>>;

/** The shared part of a cluster. `generation` counts the accepted changes that need work on infrastructure. */
export interface ClusterSpec {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** The name of the project, which never changes. Absent only where the project is not known. */
  readonly projectName?: string;
  readonly generation: number;
  readonly network: { readonly driver?: string; readonly cidr?: string; readonly options?: Options };
  readonly api: { readonly port?: number };
  readonly labels: Labels;
  readonly options: Options;
}

/** A volume of one node, mounted on it at a path. */
export interface NodeVolume {
  readonly name: string;
  readonly sizeGb: number;
  /** A kind of storage that the infrastructure offers; absent: its default. */
  readonly type?: string;
  readonly mountPath: string;
}

/** One node, with the specification of its cluster. Its own options override those of the cluster. */
export interface NodeSpec {
  readonly id: string;
  readonly name: string;
  readonly ordinal: number;
  readonly generation: number;
  readonly cluster: ClusterSpec;
  readonly nodeGroup: { readonly id: string; readonly name: string };
  readonly role: 'manager' | 'worker';
  readonly flavor: Flavor;
  readonly image?: string;
  readonly dataVolumeGb?: number;
  /** What is attached to the node: made before it, removed with it. Each name and each path occurs once. */
  readonly volumes?: readonly NodeVolume[];
  readonly zone?: string;
  readonly region?: string;
  /** The machine that the node is made of; absent: the driver makes one. */
  readonly machine?: Machine;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly options: Options;
}

/** Nodes that are not built yet: of a node group, by its id. */
export interface ExpectedNode {
  readonly id: string;
  readonly generation: number;
  readonly flavor: Flavor;
  readonly options: Options;
}

/** One container on one node. Values of `env` may be secrets. Limits are CPU cores and MiB; absent means no limit. */
export interface ContainerSpec {
  readonly id: string;
  readonly name: string;
  readonly generation: number;
  readonly clusterId: string;
  readonly nodeId: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly resources: { readonly cpus?: number; readonly memoryMb?: number };
  readonly network?: {
    readonly name: string;
    readonly driver?: string;
    readonly options?: Options;
    readonly ipv4?: string;
    /** The id of the managed network; absent for a container of a release before those. */
    readonly networkId?: string;
  };
  readonly volumes: readonly {
    readonly name: string;
    readonly driver?: string;
    readonly options?: Options;
    readonly mountPath: string;
    readonly readOnly?: boolean;
    /** The id of the managed volume; absent for a container of a release before those. */
    readonly volumeId?: string;
    readonly accessMode?: 'shared' | 'exclusive';
    readonly reclaimPolicy?: 'retain' | 'delete';
  }[];
  readonly ports: readonly {
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly protocol?: 'tcp' | 'udp';
  }[];
  readonly restartPolicy: 'no' | 'on-failure' | 'always' | 'unless-stopped';
  readonly healthCheck?: HealthCheck;
  /** The value that the registry of the image asks for, `<user>:<password>`: a secret. */
  readonly imageCredentials?: string;
  /** The secrets of `env` and `imageCredentials`. The conductor puts their values there before a driver creates the container. */
  readonly secrets?: SecretReferences;
  /** When the image is pulled: `ifMissing` where the node lacks it, `never`: it must be there. Default: `ifMissing`. */
  readonly pullPolicy?: 'ifMissing' | 'always' | 'never';
  /** How long its processes may take to end before they are killed. Default: 10. */
  readonly stopGraceSeconds?: number;
  readonly labels: Labels;
  /** What the node must have before the container; absent: nothing. */
  readonly attachments?: NodeAttachments;
  /** The options of its cluster and of its node, which win. */
  readonly options?: Options;
}

/** The names of the secrets of a container. */
export interface SecretReferences {
  /** The id and the name of the project whose secrets they are. */
  readonly project: readonly string[];
  /** By variable. */
  readonly env: Readonly<Record<string, string>>;
  readonly imageCredentials?: string;
}

/** A command that runs in the container at intervals; the container is unhealthy after `retries` failures in a row. */
export interface HealthCheck {
  readonly command: readonly string[];
  /** Default: 30. */
  readonly intervalSeconds?: number;
  /** A command that takes longer has failed. Default: 5. */
  readonly timeoutSeconds?: number;
  /** Default: 3. */
  readonly retries?: number;
  /** Failures in this time after a start do not count. Default: 0. */
  readonly startPeriodSeconds?: number;
}

/** Identifies a resource on the infrastructure. Units with a HIGHER generation than this are never changed. */
export interface ResourceRef {
  readonly id: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly options: Options;
  /** For a node that is made of a machine: that machine. */
  readonly machine?: Machine;
}

/** Identifies a container, and the node on which it was created. */
export interface ContainerRef extends ResourceRef {
  readonly nodeId: string;
  /** For `delete`: what is removed from the node after the container. Absent: nothing. */
  readonly leaving?: readonly LeavingAttachment[];
  /** As in its specification; for a stop, a restart and a delete. Default: 10. */
  readonly stopGraceSeconds?: number;
}
