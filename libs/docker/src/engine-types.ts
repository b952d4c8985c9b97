/** The types of this file describe the parts of Docker Engine API responses that the driver reads. */
type Labels = Readonly<Record<string, string>>;

export interface ContainerSummary {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly State: string;
  /** Text such as `Exited (137) 2 minutes ago`, the only part of a list with the exit code. */
  readonly Status: string;
  readonly Labels: Labels;
}

export interface ContainerDetails {
  readonly Id: string;
  readonly State: { readonly Running: boolean; readonly Status?: string; readonly ExitCode?: number };
  /** The number of restarts by the engine since the last start on request. */
  readonly RestartCount: number;
  readonly Config: { readonly Labels: Labels };
  readonly NetworkSettings: {
    readonly IPAddress: string;
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>>;
  };
}

export interface NetworkSummary {
  readonly Id: string;
  readonly Created: string;
  readonly Name: string;
  /** `swarm` for networks that all nodes know, else `local`. */
  readonly Scope?: string;
  readonly Driver?: string;
  readonly Options?: Labels | null;
  readonly Labels: Labels;
  readonly IPAM: { readonly Config: readonly { readonly Subnet?: string }[] | null };
}

/** A network with its running containers, by their ids. Addresses have the length of their prefix. */
export interface ConnectedNetwork {
  readonly Containers: Readonly<Record<string, { readonly IPv4Address: string }>>;
}

export interface VolumeSummary {
  readonly Name: string;
  readonly Driver?: string;
  readonly Options?: Labels | null;
  readonly Labels: Labels | null;
}

export interface ImageDetails {
  readonly Id: string;
  readonly Config: { readonly Labels: Labels | null } | null;
}

export interface ImageSummary {
  readonly Id: string;
}

export interface EngineInfo {
  readonly ServerVersion: string;
  /** The id of the engine, stored with its data. */
  readonly ID?: string;
  readonly OSType?: string;
  /** The time of the engine's own clock. */
  readonly SystemTime?: string;
  readonly NCPU?: number;
  readonly MemTotal?: number;
  readonly Swarm: {
    readonly LocalNodeState: string;
    readonly NodeID: string;
    readonly ControlAvailable: boolean;
    /** Why a manager could not read its Swarm, for instance because there is no leader; empty otherwise. */
    readonly Error?: string;
    readonly RemoteManagers?: readonly { readonly Addr: string }[] | null;
  };
}

export interface SwarmInspection {
  readonly Version: { readonly Index: number };
  readonly Spec: { readonly Dispatcher: { readonly HeartbeatPeriod: number } };
  readonly JoinTokens: { readonly Worker: string; readonly Manager: string };
}

export interface SwarmNodeSpec {
  readonly Role: 'manager' | 'worker';
  readonly Availability: 'active' | 'pause' | 'drain';
  readonly Labels: Labels | null;
}

export interface SwarmNode {
  readonly ID: string;
  readonly CreatedAt: string;
  readonly Version: { readonly Index: number };
  readonly Spec: SwarmNodeSpec;
  readonly Status: { readonly State: string; readonly Addr?: string };
  readonly ManagerStatus?: { readonly Leader?: boolean; readonly Reachability?: string };
  readonly Description: {
    readonly Hostname?: string;
    readonly Engine?: { readonly EngineVersion?: string; readonly Labels?: Labels | null };
  };
}

export interface SwarmService {
  readonly ID: string;
  readonly CreatedAt: string;
  readonly Spec: {
    readonly Name: string;
    /** Has one member, such as `Replicated` or `Global`. */
    readonly Mode: Readonly<Record<string, unknown>>;
    readonly TaskTemplate: { readonly ContainerSpec?: { readonly Image?: string } };
  };
  readonly Endpoint?: {
    readonly Ports?:
      readonly { readonly Protocol: string; readonly TargetPort: number; readonly PublishedPort?: number }[] | null;
  };
  /** Absent from engines that do not count. */
  readonly ServiceStatus?: { readonly RunningTasks: number; readonly DesiredTasks: number };
}

export interface StatsSample {
  readonly read: string;
  readonly preread: string;
  readonly cpu_stats: { readonly cpu_usage: { readonly total_usage: number } };
  readonly precpu_stats: { readonly cpu_usage: { readonly total_usage: number } };
  readonly memory_stats: {
    readonly usage?: number;
    /** `total_inactive_file` on cgroup v1, `inactive_file` on v2. */
    readonly stats?: { readonly total_inactive_file?: number; readonly inactive_file?: number };
  };
}
