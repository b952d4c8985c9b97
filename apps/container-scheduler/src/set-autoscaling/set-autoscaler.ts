import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  autoscaleContainerSet,
  blankMemory,
  evaluateSet,
  isAutoscaled,
  largestRecommended,
  nextEvaluationMs,
  omitUndefined,
  scalingPolicyOf,
  type AutoscalerMemory,
  type ContainerSetState,
  type EvaluationInput,
  type SetAutoscaling,
  type SetEvaluation,
} from '@stave/domain';
import {
  causedBy,
  isQuotaExceeded,
  LeaderTasks,
  operationContext,
  PolicyProjection,
  ResourceRegistry,
  type EventContext,
} from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { effectivePoliciesOf } from '../policies/placement-policy.js';
import { ProjectRoom } from '../quotas/project-room.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { scalings } from '../placement/placement-measures.js';
import { EvaluationSchedule } from './evaluation-schedule.js';

const CONCURRENCY = 16;
const SHOWN_EVALUATIONS = 20;
/** An evaluation that could not be applied within so many intervals is left to the next one. */
const CURRENT_INTERVALS = 2;
const AUTOSCALER = 'autoscaler';

/** An evaluation as it was made. */
export interface PastEvaluation extends Pick<SetEvaluation, 'recommended' | 'stabilised' | 'reason'> {
  /** Milliseconds. */
  readonly at: number;
  /** The desired number that it results in. */
  readonly applied: number;
}

interface Followed {
  readonly memory: AutoscalerMemory;
  readonly evaluations: readonly PastEvaluation[];
  /** The last decision that changes the number: its instant, and the memory that it was made with. */
  readonly decided?: { readonly at: number; readonly memory: AutoscalerMemory };
}

const blank: Followed = { memory: blankMemory, evaluations: [] };

/**
 * Evaluates the load of container sets. Every replica does, so that each can answer and the next elected one knows the past; the elected one
 * applies what follows.
 */
@Injectable()
export class SetAutoscaler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly followed = new Map<string, Followed>();
  private readonly schedule = new EvaluationSchedule((id, dueMs) => this.evaluate(id, dueMs));
  private readonly queue: ReturnType<LeaderTasks['addQueue']>;

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly policies: PolicyProjection,
    private readonly room: ProjectRoom,
    registry: ResourceRegistry,
    tasks: LeaderTasks,
  ) {
    this.queue = tasks.addQueue('container-set-load', { work: id => this.apply(id), concurrency: CONCURRENCY });
    registry.on('container-set', id => {
      if (!registry.feed.replaying) this.follow(id);
    });
    registry.feed.onReplayed(() => {
      for (const id of projection.sets.ids()) this.follow(id);
    });
  }

  onApplicationBootstrap(): void {
    this.schedule.start();
  }

  onApplicationShutdown(): void {
    this.schedule.stop();
  }

  /** Evaluates the set as it is now, without an effect. Undefined for a set without settings of autoscaling. */
  now(set: ContainerSetState, nowMs: number): SetEvaluation | undefined {
    const { autoscaling } = set.spec;
    const { memory } = this.followed.get(set.declared.id) ?? blank;
    return autoscaling && evaluateSet(set, autoscaling, this.inputOf(set, nowMs, memory));
  }

  /** Returns the last evaluations, the latest first. */
  evaluationsOf(setId: string): readonly PastEvaluation[] {
    return (this.followed.get(setId) ?? blank).evaluations.toReversed();
  }

  /** Returns since when evaluations of the set follow each other, in milliseconds. */
  evaluatedSince(setId: string): number | undefined {
    return this.followed.get(setId)?.memory.since;
  }

  /**
   * Returns the largest number of members that an evaluation of the scale-in window recommended; at least the desired one. Whoever removes
   * nodes leaves room for so many members: the autoscaler may bring them back. Every replica knows it; nothing is read for it.
   */
  largestRecommended(set: ContainerSetState, nowMs: number): number {
    const { desired, autoscaling } = set.spec;
    if (!autoscaling || !isAutoscaled(set.spec)) return desired;
    const { memory } = this.followed.get(set.declared.id) ?? blank;
    return Math.max(desired, largestRecommended(memory, autoscaling, nowMs));
  }

  private follow(id: string): void {
    const settings = this.settingsOf(id);
    const set = this.projection.sets.get(id);
    this.projection.shortWindows.put(id, set?.declared.clusterId ?? '', settings?.windowSeconds);
    if (settings) return this.plan(id, settings);
    this.schedule.plan(id, undefined);
    this.followed.delete(id);
    if (set?.deleted !== false) this.projection.demands.forget(id);
  }

  private plan(id: string, { intervalSeconds }: SetAutoscaling): void {
    this.schedule.plan(id, nextEvaluationMs(id, intervalSeconds, this.schedule.doneMs));
  }

  /** Returns the settings of a set that follows its load now. */
  private settingsOf(id: string): SetAutoscaling | undefined {
    const set = this.projection.sets.get(id);
    return set && !set.deleting && !set.deleted && isAutoscaled(set.spec) ? set.spec.autoscaling : undefined;
  }

  private evaluate(id: string, nowMs: number): void {
    const set = this.projection.sets.get(id);
    const settings = this.settingsOf(id);
    if (!set || !settings) return;
    this.plan(id, settings);
    const { memory, evaluations, decided } = this.followed.get(id) ?? blank;
    const made = evaluateSet(set, settings, this.inputOf(set, nowMs, memory));
    const { recommended, stabilised, reason, desired: applied } = made;
    const isChange = applied !== set.spec.desired;
    this.followed.set(id, {
      memory: made.memory,
      evaluations: [...evaluations, { at: nowMs, recommended, stabilised, reason, applied }].slice(-SHOWN_EVALUATIONS),
      ...omitUndefined({ decided: isChange ? { at: nowMs, memory } : decided }),
    });
    if (isChange) this.queue.mark(id);
  }

  /** Applies the last decision on the state that the set has by now. */
  private async apply(id: string): Promise<void> {
    const { decided } = this.followed.get(id) ?? blank;
    const settings = this.settingsOf(id);
    if (!decided || !settings) return;
    const { at, memory } = decided;
    if (Date.now() - at > CURRENT_INTERVALS * settings.intervalSeconds * 1000) return;
    const operationId = `s-${uuidv7()}`;
    const before = this.projection.sets.get(id)?.spec.desired ?? 0;
    try {
      const { state, position } = await this.projection.sets.settle(
        id,
        current => autoscaleContainerSet(current, { ...this.inputOf(current, at, memory), operationId }),
        current => this.contextOf(current, operationId),
      );
      if (position !== undefined)
        scalings({ autoscaler: 'set', direction: state.spec.desired > before ? 'out' : 'in' });
    } catch (error) {
      // the room was taken in the meantime: the next evaluation sees what is left
      if (!isQuotaExceeded(error)) throw error;
    }
  }

  private inputOf(set: ContainerSetState, now: number, memory: AutoscalerMemory): EvaluationInput {
    const { id, clusterId, projectId } = set.declared;
    const { demands, clusters } = this.projection;
    const effective = effectivePoliciesOf(this.policies, set);
    return {
      now,
      memory,
      samples: demands.samplesOf(id, now),
      paused: clusters.get(clusterId)?.paused ?? false,
      quotaLeft: this.room.left(projectId, { containers: 1 }),
      policies: omitUndefined({ out: scalingPolicyOf(effective, 'out'), in: scalingPolicyOf(effective, 'in') }),
    };
  }

  private contextOf({ declared }: ContainerSetState, operationId: string): EventContext {
    const cause = causedBy(this.projection.sets.entry(declared.id));
    return { ...operationContext(declared, operationId), actor: AUTOSCALER, ...cause };
  }
}
