import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ServiceRequest } from '@stave/contracts';
import {
  counted,
  instantOf,
  metricUse,
  omitUndefined,
  type ContainerSetState,
  type SetEvaluation,
} from '@stave/domain';
import { Feed } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SetAutoscaler, type PastEvaluation } from './set-autoscaler.js';

/** Answers how a container set follows its load. */
@Controller()
export class SetAutoscalingController {
  constructor(
    private readonly autoscaler: SetAutoscaler,
    private readonly lookup: SchedulerLookup,
    private readonly feed: Feed,
  ) {}

  @MessagePattern(commandSubject('container-scheduler', 'container-set', 'autoscaling'))
  async autoscaling({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<object> {
    await this.feed.caughtUp();
    const { id, state: set } = await this.lookup.set(meta, body.id);
    const now = this.autoscaler.now(set, Date.now());
    const { desired } = set.spec;
    return {
      ...(now
        ? shown(set, now)
        : { state: 'disabled', reason: 'the set has no autoscaling', recommended: null, metrics: [] }),
      desired,
      lastChange: set.turns.last ?? null,
      evaluations: this.autoscaler.evaluationsOf(id).map(evaluation),
    };
  }
}

function shown(set: ContainerSetState, { state, reason, recommended, metrics, ...more }: SetEvaluation): object {
  const { heldUntil, contention } = more;
  const under = set.operations.find(({ kind }) => kind === 'container-set.autoscale')?.direction;
  const moving = under === 'out' ? 'scalingOut' : under === 'in' ? 'scalingIn' : undefined;
  // a change that is under way explains more than that the next one is not due yet
  const isMoving = state === 'steady' && moving !== undefined;
  return {
    state: isMoving ? moving : state,
    reason: isMoving ? `the change to ${counted(set.spec.desired, 'member')} is under way; ${reason}` : reason,
    recommended: state === 'disabled' ? null : (recommended ?? null),
    metrics: metrics.map(metric => ({ use: null, ratio: null, ...metricUse(metric) })),
    ...omitUndefined({
      heldUntil: heldUntil === undefined ? undefined : instantOf(heldUntil),
      contendedBy: contention?.actor,
    }),
  };
}

const evaluation = ({ at, recommended, ...more }: PastEvaluation): object => ({
  at: instantOf(at),
  recommended: recommended ?? null,
  ...more,
});
