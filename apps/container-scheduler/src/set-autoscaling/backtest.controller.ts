import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type FieldProblem, type ServiceRequest } from '@stave/contracts';
import {
  autoscalingProblems,
  brokenRules,
  completeAutoscaling,
  contentsFrom,
  incompleteAutoscaling,
  instantMs,
  mergePatch,
  revisionOf,
  type Backtest,
  type ContainerSetState,
  type GivenAutoscaling,
  type ScalingPolicy,
  type ScalingProperties,
  type SetAutoscaling,
} from '@stave/domain';
import { Feed, isTime } from '@stave/service-kit';
import { PolicyLookup } from '../policies/policy.lookup.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SetBacktests } from './set-backtests.js';

interface Period {
  readonly id: string;
  readonly from?: string;
  readonly to?: string;
}

interface SetRequest extends Period {
  readonly autoscaling?: Readonly<Record<string, unknown>>;
}

interface PolicyRequest extends Period {
  readonly target: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const DAY_MS = 86_400_000;

/** Answers what settings of autoscaling, or a policy of scaling, would have done to a container set. */
@Controller()
export class BacktestController {
  constructor(
    private readonly backtests: SetBacktests,
    private readonly lookup: SchedulerLookup,
    private readonly policies: PolicyLookup,
    private readonly feed: Feed,
  ) {}

  @MessagePattern(commandSubject('container-scheduler', 'container-set', 'backtest'))
  async ofSet({ meta, body }: ServiceRequest<SetRequest>): Promise<Backtest> {
    await this.feed.caughtUp();
    const { state: set } = await this.lookup.set(meta, body.id);
    const { autoscaling: given } = body;
    const autoscaling = given && settingsFor(set, given);
    if (!autoscaling) requireSettings(set, '/autoscaling');
    return this.backtests.run({ set, ...periodOf(set, body), ...(autoscaling ? { autoscaling } : {}) });
  }

  @MessagePattern(commandSubject('container-scheduler', 'policy', 'backtest'))
  async ofPolicy({ meta, body }: ServiceRequest<PolicyRequest>): Promise<Backtest> {
    await this.feed.caughtUp();
    const { id: policyId, state: policy } = await this.policies.policy(meta, body.id);
    if (policy.created.type !== 'scaling')
      throw refused({ pointer: '', code: 'not-scaling', detail: 'only policies of scaling can be repeated' });
    const { state: set } = await this.lookup.set(meta, body.target);
    requireSettings(set, '/target');
    const properties = mergePatch(policy.properties, body.properties ?? {}) as ScalingProperties;
    const { direction = 'out', adjustment, cooldownSeconds = 0 } = properties;
    if (!adjustment || adjustment.type === 'exact')
      throw refused({
        pointer: '/properties/adjustment/type',
        code: 'exact-policy',
        detail: 'a set that follows its load cannot be scaled to an exact number by a policy',
      });
    const scaling: ScalingPolicy = { adjustment, cooldownSeconds, policyId, policyRevision: policy.revision };
    return this.backtests.run({ set, ...periodOf(set, body), policies: { [direction]: scaling } });
  }
}

const refused = (problem: FieldProblem): RefusedError => new RefusedError(brokenRules([problem]));

function requireSettings({ spec }: ContainerSetState, pointer: string): void {
  const detail = 'the set has no autoscaling, which decides when it is scaled';
  if (!spec.autoscaling) throw refused({ pointer, code: 'no-autoscaling', detail });
}

/** Returns the settings of the set with those of the request in place of them, in force. Throws RefusedError (422). */
function settingsFor(set: ContainerSetState, given: Readonly<Record<string, unknown>>): SetAutoscaling {
  const { spec } = set;
  const merged = mergePatch(spec.autoscaling ?? {}, given) as GivenAutoscaling;
  const settings = { ...completeAutoscaling(merged), enabled: true };
  const incomplete = incompleteAutoscaling(settings);
  if (incomplete) throw new RefusedError(incomplete);
  const problems = autoscalingProblems(settings, { max: spec.max, limits: contentsFrom(revisionOf(set)).resources });
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  return settings;
}

/** Returns the time to repeat: a part of the last day, in which the set existed. Throws RefusedError. */
function periodOf(set: ContainerSetState, { from, to }: Period): { readonly from: number; readonly to: number } {
  const now = Date.now();
  const problems: FieldProblem[] = Object.entries({ from, to }).flatMap(([name, time]) =>
    time === undefined || isTime(time)
      ? []
      : [{ pointer: `/${name}`, code: 'format', detail: `${name} is not a time` }],
  );
  if (problems.length > 0)
    throw new RefusedError({
      code: 'validation-failed',
      kind: 'invalid',
      detail: 'the period is not valid',
      errors: problems,
    });
  const end = to === undefined ? now : Date.parse(to);
  const begin = from === undefined ? Math.max(now - DAY_MS, instantMs(set.createdAt)) : Date.parse(from);
  const detail = 'demand is kept for a day';
  if (begin < now - DAY_MS - 1000) throw refused({ pointer: '/from', code: 'too-old', detail });
  if (end > now + 1000) throw refused({ pointer: '/to', code: 'in-future', detail: 'the time has not come yet' });
  if (begin >= end) throw refused({ pointer: '/from', code: 'after-to', detail: 'from is not before to' });
  return { from: begin, to: Math.min(end, now) };
}
