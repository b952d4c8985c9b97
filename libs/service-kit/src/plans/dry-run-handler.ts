import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { RefusedError, type ServiceReply, type ServiceRequest } from '@stave/contracts';
import type { QuotaClaim } from '@stave/domain';
import { planned, type AppendAdmission, type PlannedWrite } from './append-admission.js';
import { compressPlan } from './plan-compression.js';
import { PlanDescriptions, type PlannedResource } from './plan-descriptions.js';
import { PlanExecution, type ComputedPlan, type VerifiedPlan } from './plan-execution.js';
import { instantsIn, PlanMask } from './plan-mask.js';
import { PlanTurns } from './plan-turns.js';
import {
  newPlanId,
  planIdOf,
  plannedValues,
  planStale,
  planToken,
  planUnsettled,
  requireSamePlan,
} from './plan-token.js';
import type { PlannedValues } from './request-values.js';
import type { UsedPlans } from './used-plans.js';

export type Handler = (request: ServiceRequest) => Promise<ServiceReply>;

/** What was found by a computation beside the plan. */
interface Computation {
  readonly writes: readonly PlannedWrite[];
  readonly quotas: readonly QuotaClaim[];
}

const ATTEMPTS = 10;
const USED = 'it was executed already';

/** Answers requests with `dryRun` by a plan, and executes requests with a plan token. Other requests do not pass it. */
export class DryRunHandler {
  private readonly descriptions = new PlanDescriptions();
  private readonly turns = new PlanTurns();

  /** `caughtUp` resolves when this process knows every event that was acknowledged before the call. */
  constructor(
    private readonly usedPlans: UsedPlans,
    private readonly caughtUp: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** Declares what plans show of the resources of a stream category. Of other streams they show the events only. */
  describe<S>(category: string, resource: PlannedResource<S>): void {
    this.descriptions.add(category, resource);
  }

  async serve(request: ServiceRequest, handler: Handler): Promise<ServiceReply> {
    try {
      return request.meta.dryRun
        ? await this.turns.take(request, () => this.plan(request, handler))
        : await this.execute(request, handler);
    } catch (error) {
      if (error instanceof RefusedError) return { ok: false, error: error.error };
      throw error;
    }
  }

  private async plan(request: ServiceRequest, handler: Handler): Promise<ServiceReply> {
    const planId = newPlanId();
    const { plan, writes, quotas } = await this.compute(request, handler, plannedValues(request, planId));
    const outlook = { ...this.descriptions.outlook(writes, plan.steps), ...(quotas.length > 0 && { quotas }) };
    return { ok: true, data: compressPlan({ planToken: planToken(planId, request, plan), ...plan, ...outlook }) };
  }

  /** Runs the request again where a stream changed between the computation of the plan and an append. */
  private async execute(request: ServiceRequest, handler: Handler): Promise<ServiceReply> {
    const { meta } = request;
    const user = JSON.stringify([meta.actor.project, meta.idempotencyKey ?? randomUUID()]);
    const planId = planIdOf(meta.planToken ?? '');
    for (let attempt = 1; ; attempt++) {
      const values = plannedValues(request, planId);
      const admission = new PlanExecution(() => this.verified(request, handler, values, user));
      // a repeat is not compared with its plan: its events may be appended already
      if (meta.idempotencyKey === undefined) await admission.verify();
      const reply = await handler({ ...request, meta: planned(meta, { admission, values }) });
      if (admission.isOutdated && attempt < ATTEMPTS) continue;
      // a request that appended nothing must have an empty plan, too
      if (reply.ok && !admission.isRepeat) await admission.verify();
      return reply;
    }
  }

  /** Throws RefusedError `plan-stale` or `plan-unsettled`, or what the request itself is refused with. */
  private async verified(
    request: ServiceRequest,
    handler: Handler,
    values: PlannedValues,
    user: string,
  ): Promise<VerifiedPlan> {
    const { meta } = request;
    const token = meta.planToken ?? '';
    const computed = await this.compute(request, handler, values);
    const { plan } = computed;
    if (await this.usedPlans.isUsedByOther(values.seed, user)) throw planStale(USED);
    requireSamePlan(token, planToken(planIdOf(token), request, plan));
    if (plan.unsettled !== undefined) throw planUnsettled(plan.unsettled);
    const use = async (): Promise<void> => {
      if (!(await this.usedPlans.use(values.seed, user, meta))) throw planStale(USED);
    };
    return { ...computed, use };
  }

  private async compute(
    request: ServiceRequest,
    handler: Handler,
    values: PlannedValues,
  ): Promise<ComputedPlan & Computation> {
    await this.caughtUp();
    const writes: PlannedWrite[] = [];
    const quotas: QuotaClaim[] = [];
    // a dry run carries no idempotency key, so it never repeats
    const admission: AppendAdmission = {
      admits: write => Promise.resolve(writes.push(write) < 0),
      marked: events => Promise.resolve(events),
      verify: () => Promise.resolve(),
      repeats: () => undefined,
      claims: claims => void quotas.push(...claims.filter(({ name }) => quotas.every(other => other.name !== name))),
    };
    const { idempotencyKey: _key, planToken: _token, ...meta } = request.meta;
    const reply = await handler({ ...request, meta: planned({ ...meta, dryRun: true }, { admission, values }) });
    if (!reply.ok) throw new RefusedError(reply.error); // the refusal of the request itself
    const content = await this.descriptions.planOf(writes);
    await setImmediate(); // the mask and the token take as long as the steps again
    const mask = new PlanMask(values.concealed, instantsIn([request.body, content.diff.map(({ from }) => from)]));
    // the first append to a stream decides
    const revisions = new Map(writes.toReversed().map(({ stream, after }) => [stream, after]));
    return { plan: mask.apply(content), revisions, mask, writes, quotas };
  }
}
