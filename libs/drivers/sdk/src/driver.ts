import type { Capability } from './capabilities.js';

/** Structured log of a driver; never give it a secret. */
export interface DriverLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Where a driver may keep join tokens and keys for as long as the conductor's process lives; what is put here is cut out of all that
 * the driver tells. A driver that needs them longer reads them from its infrastructure, or keeps a store of its own.
 */
export interface SecretStore {
  get(name: string): Promise<string | undefined>;
  put(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** The task on whose behalf a call is made; a fake or an auditing infrastructure keeps it in its journal. */
export interface TaskIdentity {
  readonly taskId: string;
  readonly attempt: number;
  readonly generation: number;
}

/** Handed to every call. */
export interface DriverContext {
  /** Fires when the call must stop: start no new side effect after it and throw as soon as possible. */
  readonly signal: AbortSignal;
  readonly log: DriverLogger;
  /** Milliseconds; monotonic. */
  readonly now: () => number;
  readonly secrets: SecretStore;
  /** Names the step under way, e.g. `start engine`; shown in the operation. Cheap, may be called often. */
  readonly progress: (step: string) => void;
  readonly task: TaskIdentity;
  /**
   * Throws when the conductor's session may have ended. Call it immediately before EVERY call that changes infrastructure.
   */
  readonly checkpoint: () => void;
}

export interface Flavor {
  readonly name?: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly diskGb?: number;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export type Labels = Readonly<Record<string, string>>;
export type Options = Readonly<Record<string, unknown>>;

/** The shared parts of a cluster. `generation` counts accepted changes that need work on infrastructure. */
export interface ClusterSpec {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly generation: number;
  readonly network: { readonly driver?: string; readonly cidr?: string; readonly options?: Options };
  readonly api: { readonly port?: number };
  readonly labels: Labels;
  readonly options: Options;
}

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
  readonly zone?: string;
  readonly region?: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly options: Options;
}

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
  };
  readonly volumes: readonly {
    readonly name: string;
    readonly driver?: string;
    readonly options?: Options;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
  readonly ports: readonly {
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly protocol?: 'tcp' | 'udp';
  }[];
  readonly restartPolicy: 'no' | 'on-failure' | 'always' | 'unless-stopped';
  readonly healthCheck?: {
    readonly command: readonly string[];
    readonly intervalSeconds?: number;
    readonly retries?: number;
  };
  readonly labels: Labels;
}

/** Names a resource whose infrastructure is to be acted on. Units with a HIGHER generation than this are never touched. */
export interface ResourceRef {
  readonly id: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly options: Options;
}

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

/**
 * The contract of every call: idempotent by resource id and generation; safe to repeat after a crash at any point. Create adopts
 * what carries its own id and generation; it first removes what is left of LOWER generations. Delete removes all units of the
 * resource with a generation up to the reference's, by infrastructure ids read in the same call; what is gone is success.
 * Errors are DriverError. All of them stop at the context's signal.
 */
export interface ClusterLifecycle {
  create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  delete(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined>;
  credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>>;
}

/** Node operations; a node is its own unit and never touches its neighbours. `rebuild` keeps id and ordinal, with a new generation. */
export interface NodeLifecycle {
  create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  /** In place: labels and taints. */
  update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** The engine's own part of a drain (e.g. Swarm availability); the eviction itself is the scheduler's. */
  drain(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Takes the engine's part of a drain back. */
  undrain(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  delete(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined>;
}

/** Containers on nodes; present when the manifest declares the capability `containers`. */
export interface ContainerLifecycle {
  /** Created and started. Networks and volumes that it names are made where they do not exist. */
  create(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult>;
  /** In place, of the unit that stands: limits and restart policy as the spec has them. */
  update(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult>;
  start(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult>;
  stop(ctx: DriverContext, ref: ContainerRef): Promise<void>;
  restart(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult>;
  delete(ctx: DriverContext, ref: ContainerRef): Promise<void>;
  /** The last `tail` lines, standard output and error in order. */
  logs(ctx: DriverContext, ref: ContainerRef, options: { readonly tail: number }): Promise<string>;
  stats(ctx: DriverContext, ref: ContainerRef): Promise<ContainerStats>;
}

/** What a node uses now. */
export interface NodeUsage {
  readonly nodeId: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** Utilisation; present when the manifest declares the capability `monitor`. */
export interface NodeMonitor {
  /** Of every node that runs under this installation's labels. */
  usage(ctx: DriverContext): Promise<readonly NodeUsage[]>;
}

export interface ContainerRef extends ResourceRef {
  readonly nodeId: string;
}

export interface Driver {
  readonly cluster: ClusterLifecycle;
  readonly node: NodeLifecycle;
  readonly containers?: ContainerLifecycle;
  readonly monitor?: NodeMonitor;
  /** Everything under this installation's labels, or of one cluster: for the orphan sweep and for health. */
  list(ctx: DriverContext, filter?: { readonly clusterId?: string }): Promise<readonly Unit[]>;
  /** Removes exactly this unit (by its infrastructure id) with what belongs to it alone; success when it is gone. */
  remove(ctx: DriverContext, unit: Unit): Promise<void>;
  close(): Promise<void>;
}

/** What a driver is started with. */
export interface DriverSettings {
  /** This installation's id; stands in every label. */
  readonly installation: string;
  readonly dataDir: string;
  /** The conductor's environment (a driver documents what it reads: DOCKER_HOST, FAKE_CLOUD_URL ...). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: DriverLogger;
}

/** The default export of a driver's main module. */
export interface DriverModule {
  /** Connects; throws DriverError when its infrastructure cannot be reached. */
  open(settings: DriverSettings): Promise<Driver>;
}

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
  /** JSON Schema of cluster and node group options, closed (`additionalProperties: false`). */
  readonly options: Readonly<Record<string, unknown>>;
}
