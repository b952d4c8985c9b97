import type { Observation, UnitObservation } from '@stave/domain';
import type { ClaimRequest } from './task.js';

/** `health.expected` of nodegroup-service and container-scheduler: what should stand in these slots, in pages by resource id. */
export interface ExpectedRequest extends Pick<ClaimRequest, 'conductor' | 'session' | 'epoch' | 'max'> {
  readonly holdings: readonly { readonly key: string; readonly version: string }[];
  /** Last resource id of the page before. */
  readonly after?: string;
}

/** A resource whose infrastructure is settled: nothing is under way that could change it. */
export interface ExpectedUnit {
  readonly resourceId: string;
  /** Of the resource now; comes back with what was seen of it. */
  readonly generation: number;
  /** That its unit carries. */
  readonly built: number;
  /** Of a container: the node that it is on. */
  readonly nodeId?: string;
  /** How it was seen last; only what differs is to be reported. */
  readonly seen: UnitObservation;
}

export interface ExpectedReply {
  readonly units: readonly ExpectedUnit[];
  /** There is another page after this id. */
  readonly next?: string;
}

/** Published on `usageSubject`, to every replica of nodegroup-service; kept in memory only. */
export interface UsageSamples {
  /** ISO 8601, in UTC. */
  readonly at: string;
  readonly nodes: readonly { readonly nodeId: string; readonly cpuCores: number; readonly memoryMb: number }[];
}

/** `health.observed`: what differs from the expected. Answered `{}`; repeated by the next look where it was not. */
export interface ObservedRequest {
  readonly conductor: string;
  readonly session: string;
  readonly observations: readonly (Observation & { readonly resourceId: string })[];
}
