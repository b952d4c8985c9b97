import type { ContainerUsageSamples } from '@stave/contracts';
import {
  defaultSetAutoscaling,
  getOrCreate,
  instantMs,
  type ContainerSetState,
  type ContainerState,
  type DemandSample,
} from '@stave/domain';
import { DemandOfSet } from './demand-of-set.js';

export interface UsageValues {
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** A member of a set. What it uses counts from `knownFrom` on, in milliseconds; before it warms up. */
export interface SampledMember {
  readonly setId: string;
  readonly knownFrom: number;
}

export interface DemandSources {
  readonly memberOf: (containerId: string) => SampledMember | undefined;
  /** How many members of the set run. */
  readonly runningIn: (setId: string) => number;
  /** The window that decisions about the set need. */
  readonly windowMs: (setId: string) => number;
}

/** Instants are kept for at least this time, so that a window can be set when the set runs already. */
const LEAST_KEPT_MS = 120_000;
/** A sample of the future shows a clock that is wrong; one older than this shows nothing of the present. */
const OLDEST_MS = 60_000;

/** The demand of all container sets at each sampling instant, in memory. Every replica receives all samples. */
export class SetDemands {
  private readonly sets = new Map<string, DemandOfSet>();
  private listener: (setId: string, instant: DemandSample) => void = () => undefined;

  constructor(
    private readonly sources: DemandSources,
    private readonly nowMs: () => number = Date.now,
  ) {}

  add({ at, periodMs, containerIds, cpuCores, memoryMb }: ContainerUsageSamples): void {
    const now = this.nowMs();
    const time = Math.min(now, Date.parse(at));
    if (!(time >= now - OLDEST_MS) || periodMs <= 0) return;
    containerIds.forEach((id, i) => {
      const member = this.sources.memberOf(id);
      if (!member) return;
      const { setId, knownFrom } = member;
      if (time < knownFrom) return this.leave(setId, id);
      const demand = getOrCreate(this.sets, setId, () => this.begin(setId));
      demand.add(id, time, periodMs, { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 });
    });
  }

  /** The member does not run any more. */
  leave(setId: string, containerId: string): void {
    this.sets.get(setId)?.leave(containerId);
  }

  /** Returns what was sampled of the set at the instants of its window, oldest first. */
  samplesOf(setId: string, nowMs: number): readonly DemandSample[] {
    const demand = this.sets.get(setId);
    if (!demand) return [];
    const windowMs = this.sources.windowMs(setId);
    demand.forgetBefore(nowMs - Math.max(windowMs, LEAST_KEPT_MS));
    return demand.over(nowMs, windowMs);
  }

  forget(setId: string): void {
    this.sets.delete(setId);
  }

  /** Calls the listener with each instant from now on. */
  onInstant(listener: (setId: string, instant: DemandSample) => void): void {
    this.listener = listener;
  }

  private begin(setId: string): DemandOfSet {
    const demand = new DemandOfSet(
      () => this.sources.runningIn(setId),
      instant => {
        demand.forgetBefore(instant.at - Math.max(this.sources.windowMs(setId), LEAST_KEPT_MS));
        this.listener(setId, instant);
      },
    );
    return demand;
  }
}

/** Whether something of the container runs that may do a part of the work of its set. */
export const isRunning = ({ status, activeSince, observed, deleted }: ContainerState): boolean =>
  !deleted &&
  activeSince !== undefined &&
  (status === 'ACTIVE' || status === 'UPDATING' || status === 'DELETING') &&
  (observed === undefined || observed.state === 'running');

/** Returns from when on a member of the set counts with what it uses, in milliseconds. */
export const knownFrom = (container: ContainerState, { autoscaling }: ContainerSetState['spec']): number =>
  isRunning(container) && container.activeSince !== undefined
    ? instantMs(container.activeSince) + 1000 * (autoscaling ?? defaultSetAutoscaling).warmUpSeconds
    : Infinity;

interface Members {
  readonly containers: { readonly get: (id: string) => ContainerState | undefined };
  readonly sets: { readonly get: (id: string) => ContainerSetState | undefined };
  readonly runningBySet: { readonly sizeOf: (setId: string) => number };
}

/** Returns the demand of sets whose members and settings are these. */
export const setDemandsOf = ({ containers, sets, runningBySet }: Members): SetDemands =>
  new SetDemands({
    memberOf: id => {
      const container = containers.get(id);
      const set = sets.get(container?.declared.setId ?? '');
      return container && set && { setId: set.declared.id, knownFrom: knownFrom(container, set.spec) };
    },
    runningIn: id => runningBySet.sizeOf(id),
    windowMs: id => 1000 * (sets.get(id)?.spec.autoscaling?.windowSeconds ?? 0),
  });
