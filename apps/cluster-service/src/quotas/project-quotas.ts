import { Injectable } from '@nestjs/common';
import { RefusedError, type RequestMeta, type ServiceError } from '@stave/contracts';
import {
  endQuotaReservations,
  quotaClaims,
  reserveQuota,
  type Decision,
  type QuotaAmounts,
  type QuotaDemand,
  type QuotaEvent,
  type QuotaState,
  type QuotaUsage,
} from '@stave/domain';
import { Feed, ResourceRegistry, type EventContext, type Outlook } from '@stave/service-kit';
import { QuotaProjection } from './quota.projection.js';

/** Milliseconds for which a decision waits until this process has counted everything that earlier decisions were based on. */
const COUNT_MS = 2_000;

const notCounted: ServiceError = {
  code: 'catching-up',
  kind: 'unavailable',
  detail: 'this process has not counted everything yet that the quota of the project depends on',
  retryAfterMs: 1_000,
};

/** Holds creations to the quotas of their projects. */
@Injectable()
export class ProjectQuotas {
  constructor(
    private readonly projection: QuotaProjection,
    private readonly feed: Feed,
    registry: ResourceRegistry,
  ) {
    registry.follow(projection);
  }

  /** Throws RefusedError `quota-exceeded` where the project has no room. Reserves nothing. */
  async require(projectId: string, demand: QuotaDemand): Promise<void> {
    const { model } = this.projection;
    await this.decided(
      async decide => {
        const entry = await model.load(projectId);
        const decision = decide(entry.state, entry);
        if (!decision.ok) throw new RefusedError(decision.refusal);
      },
      this.reservation(projectId, demand),
    );
  }

  /**
   * Reserves room for a resource that is created next, where the project has a limit that concerns it. Idempotent. A plan only checks.
   * Throws RefusedError `quota-exceeded`.
   */
  async reserve(meta: RequestMeta, projectId: string, demand: QuotaDemand, context: EventContext): Promise<void> {
    if (meta.dryRun) return this.require(projectId, demand);
    const { admission, ahead: _ahead, ...own } = context;
    // a request that is not executed as planned reserves nothing
    await admission?.verify();
    await this.decided(
      async decide => void (await this.projection.model.execute(projectId, decide, own)),
      this.reservation(projectId, demand),
    );
  }

  /** Gives a reservation back whose resource will not be created. Idempotent. */
  async release(projectId: string, id: string, { admission: _, ahead: _ahead, ...own }: EventContext): Promise<void> {
    const ended = { created: [], abandoned: [id] };
    await this.projection.model.execute(projectId, state => endQuotaReservations(state, ended), own);
  }

  /** Returns what the plan of a creation shows: the limited quotas that it would change. */
  outlook(projectId: string, amounts: QuotaAmounts): Outlook | undefined {
    const state = this.projection.model.get(projectId);
    const quotas = state ? quotaClaims(state, this.usage(projectId), amounts) : [];
    return quotas.length > 0 ? { quotas } : undefined;
  }

  private usage(projectId: string): QuotaUsage {
    return this.projection.usage(projectId);
  }

  /**
   * Decides on what the streams of the resources and of the quota show together: a resource is counted by its reservation until that is
   * settled, and then by its own events, which this process must have seen.
   */
  private reservation(projectId: string, demand: QuotaDemand): Decide {
    return (state, { position }) => {
      if (position > this.feed.position) throw new Uncounted(position);
      return reserveQuota(state, this.usage(projectId), demand);
    };
  }

  /** Decides again once what the decision depends on is counted, and once what was deleted before the request is not counted any more. */
  private async decided(perform: (decide: Decide) => Promise<void>, decide: Decide): Promise<void> {
    const until = performance.now() + COUNT_MS;
    for (let isCurrent = false; ;)
      try {
        return await perform(decide);
      } catch (error) {
        if (error instanceof Uncounted) {
          if (!(await this.feed.waitFor(error.position, until - performance.now()))) throw new RefusedError(notCounted);
        } else if (!isCurrent && isExceeded(error)) {
          await this.feed.caughtUp();
          isCurrent = true;
        } else throw error;
      }
  }
}

type Decide = (state: QuotaState, entry: { readonly position: number }) => Decision<QuotaEvent>;

/** Thrown for a decision that depends on events up to a position that this process has not seen. */
class Uncounted extends Error {
  constructor(readonly position: number) {
    super(`events up to ${position} are not counted`);
  }
}

const isExceeded = (error: unknown): boolean => error instanceof RefusedError && error.error.code === 'quota-exceeded';
