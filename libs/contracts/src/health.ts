import type { Observation, UnitObservation } from '@stave/domain';
import type { ConductorSession } from './conductor.js';
import type { ClaimRequest } from './task.js';

/**
 * The body of `health.expected` of nodegroup-service and container-scheduler: the resources of these slots whose infrastructure should
 * exist, in pages by resource id, or what changed since an earlier reply.
 */
export interface ExpectedRequest extends Pick<ClaimRequest, 'conductor' | 'session' | 'epoch' | 'max'> {
  readonly holdings: readonly { readonly key: string; readonly version: string }[];
  /** Also resources in the slots of others, of the same keys. */
  readonly everySlot?: true;
  /** The last resource id of the previous page. */
  readonly after?: string;
  /** The `position` of an earlier reply to a request for the same slots: only what changed later is wanted, where the service knows that. */
  readonly since?: number;
}

/** A resource whose infrastructure is stable: no work is in progress that could change it. */
export interface ExpectedUnit {
  readonly resourceId: string;
  /** The revision of the resource, which a report of its state carries back. */
  readonly generation: number;
  /** The generation that its unit carries. */
  readonly built: number;
  /** The identity of the engine or cloud on which the unit was built, where the driver knows it. */
  readonly engine?: string;
  /** The node of a container. */
  readonly nodeId?: string;
  /** The last reported state; only differences are reported. */
  readonly seen: UnitObservation;
  /** The unit is missing, and its loss is suspected not to be its own. */
  readonly suspected?: true;
}

/** All units, in pages; with `gone`, only what changed since the position of the request. */
export interface ExpectedReply {
  readonly units: readonly ExpectedUnit[];
  /** Resources that changed, and of which no infrastructure is expected in these slots now. */
  readonly gone?: readonly string[];
  /** The position in the log up to which the reply shows what changed. */
  readonly position: number;
  /** Milliseconds between two samples of the units that something needs; absent: the conductor's own period. */
  readonly samplingMs?: number;
  /** Another page begins after this id. */
  readonly next?: string;
}

/**
 * Published on `usageSubject` to every replica of nodegroup-service, which keeps it in memory only. The lists have the same length and
 * order: as objects, the samples of many nodes would cost several times as much to send.
 */
export interface UsageSamples {
  /** The time of the samples, ISO 8601 in UTC. */
  readonly at: string;
  readonly nodeIds: readonly string[];
  readonly cpuCores: readonly number[];
  readonly memoryMb: readonly number[];
  /** What engines hold on the nodes for workloads that are not containers of Stave; null: not known now. Absent: of none of the nodes. */
  readonly reserved?: readonly (ReservedByEngine | null)[];
}

/** CPU cores and MiB. */
export interface ReservedByEngine {
  readonly cpus: number;
  readonly memoryMb: number;
  /** The part of it that each node of the node group has from its start. */
  readonly daemons: { readonly cpus: number; readonly memoryMb: number };
}

/**
 * Published on `containerUsageSubject` to every replica of container-scheduler and nodegroup-service, which keep it in memory only. The lists have
 * the same length and order.
 */
export interface ContainerUsageSamples extends UsageSamples {
  /** The containers; `nodeIds` are their nodes. */
  readonly containerIds: readonly string[];
  /** Milliseconds between two samples of this conductor. */
  readonly periodMs: number;
}

/**
 * The body of `health.observed`: differences from the expected state. The answer is `{}`; a report without an answer is repeated by the
 * next check.
 */
export interface ObservedRequest extends ConductorSession {
  readonly observations: readonly (Observation & { readonly resourceId: string })[];
}
