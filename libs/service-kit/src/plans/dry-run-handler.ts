import { randomUUID } from 'node:crypto';
import type { RequestMeta, ServiceReply, ServiceRequest } from '@stave/contracts';
import { RefusedError } from '@stave/contracts';
import { blend, instantsIn, PlanMovedError } from './plan-blend.js';
import { PlanDescriptions, type PlannedResource } from './plan-describe.js';
import { PlanGuard, type HeldPlan } from './plan-guard.js';
import { packedPlan } from './plan-parcel.js';
import { DryRun } from './plan-record.js';
import type { PlanUses, SpentPlans } from './used-plans.js';
import { planSpent, planStale, planToken, planUnsettled, type Planned } from './plan-token.js';
import { watchedBy } from './plan-watch.js';

/** Does a request as a client asks for it. */
export type Handler = (request: ServiceRequest) => Promise<ServiceReply>;

interface Looked {
  readonly planned: Planned;
  readonly revisions: ReadonlyMap<string, number>;
  readonly uses: PlanUses;
}

const ATTEMPTS = 10;

/** What changes is not as it was afterwards: its plans need no count. */
const uncounted: PlanUses = { times: 0, spend: () => Promise.resolve(true) };

const keepsMoving = new RefusedError({
  code: 'too-much-contention',
  kind: 'unavailable',
  detail: 'what the plan would be made of changes too fast',
  retryAfterMs: 100,
});

/** The refusal of a dry run: the same as that of the request itself. */
class RefusedReply extends Error {
  constructor(readonly reply: ServiceReply) {
    super('refused');
  }
}

/** Answers changes that are asked for as a plan, and does those that were planned. Others do not come here. */
export class DryRunHandler {
  private readonly descriptions = new PlanDescriptions();

  /** `caughtUp`: everything is known that was acknowledged before. */
  constructor(
    private readonly spent: SpentPlans,
    private readonly caughtUp: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** What plans say of the resources of a stream category; of others they name the events only. */
  describe<S>(category: string, resource: PlannedResource<S>): void {
    this.descriptions.add(category, resource);
  }

  async serve(request: ServiceRequest, handler: Handler): Promise<ServiceReply> {
    const { dryRun = false } = request.meta;
    try {
      if (!dryRun) return await this.execute(request, handler);
      const { planned, uses } = await this.look(request, handler);
      const token = planToken(request.meta, request.body, planned, uses.times);
      return { ok: true, data: packedPlan({ planToken: token, ...planned }) };
    } catch (error) {
      if (error instanceof RefusedReply) return error.reply;
      if (error instanceof RefusedError) return { ok: false, error: error.error };
      throw error;
    }
  }

  private async execute(request: ServiceRequest, handler: Handler): Promise<ServiceReply> {
    const user = request.meta.idempotencyKey ?? randomUUID();
    for (let attempt = 1; ; attempt++) {
      const guard = new PlanGuard(() => this.hold(request, handler, user));
      // a repeat is not looked at again: what it asks for may be done already
      if (request.meta.idempotencyKey === undefined) await guard.verify();
      const reply = await handler({ ...request, meta: watchedBy(request.meta, guard) });
      if (guard.moved && attempt < ATTEMPTS) continue;
      if (reply.ok) await guard.settle();
      return reply;
    }
  }

  /** Throws RefusedError `plan-stale`, or what the request itself is refused with. */
  private async hold(request: ServiceRequest, handler: Handler, user: string): Promise<HeldPlan> {
    const { planned, revisions, uses } = await this.look(request, handler, user);
    const { meta, body } = request;
    const [given = '', now] = [meta.planToken, planToken(meta, body, planned, uses.times)];
    if (given !== now) throw planStale(given, now, uses.times);
    if (planned.unsettled !== undefined) throw planUnsettled(planned.unsettled);
    const spend = async (): Promise<void> => {
      if (!(await uses.spend())) throw planSpent();
    };
    return { events: planned.events, steps: planned.steps, revisions, spend };
  }

  /** Computed twice: what differs is made afresh each time, and is not part of the plan. */
  private async look(request: ServiceRequest, handler: Handler, user = ''): Promise<Looked> {
    await this.caughtUp();
    for (let attempt = 1; ; attempt++) {
      const [one, other] = [await this.run(request, handler), await this.run(request, handler)];
      try {
        const planned = this.blended(request, one, other);
        return { planned, revisions: revisionsOf(one), uses: await this.usesOf(request, planned, one, user) };
      } catch (error) {
        if (!(error instanceof PlanMovedError)) throw error;
        if (attempt >= ATTEMPTS) throw keepsMoving;
      }
    }
  }

  private async usesOf({ meta, body }: ServiceRequest, planned: Planned, run: DryRun, user: string): Promise<PlanUses> {
    if (!run.writes.some(({ after }) => after < 0)) return uncounted;
    return this.spent.usesOf(planToken(meta, body, planned), user, meta);
  }

  private blended({ body }: ServiceRequest, one: DryRun, other: DryRun): Planned {
    const { descriptions } = this;
    const follows = descriptions.follows(one);
    // of what exists already all names are known
    const again = one.writes.some(write => write.after < 0) ? descriptions.follows(other) : follows;
    const first: Planned = { ...descriptions.said(one), ...follows };
    const second: Planned = { ...descriptions.said(other), ...again };
    return blend(first, second, instantsIn([body, first.diff.map(d => d.from)]));
  }

  private async run(request: ServiceRequest, handler: Handler): Promise<DryRun> {
    const dryRun = new DryRun();
    const reply = await handler({ ...request, meta: watchedBy(unremembered(request.meta), dryRun) });
    if (!reply.ok) throw new RefusedReply(reply);
    return dryRun;
  }
}

function unremembered({ idempotencyKey: _key, planToken: _token, ...meta }: RequestMeta): RequestMeta {
  return { ...meta, dryRun: true };
}

/** Of the streams that exist: names of new ones are made afresh. */
function revisionsOf({ writes }: DryRun): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { stream, after } of writes) if (after >= 0 && !first.has(stream)) first.set(stream, after);
  return first;
}
