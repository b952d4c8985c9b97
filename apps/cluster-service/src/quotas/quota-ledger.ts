import { Injectable } from '@nestjs/common';
import { RefusedError, type ServiceError } from '@stave/contracts';
import {
  endQuotaReservations,
  quotaClaims,
  reserveQuota,
  type Decision,
  type QuotaClaim,
  type QuotaDemand,
  type QuotaEvent,
  type QuotaState,
} from '@stave/domain';
import { Feed, isQuotaExceeded, QuotaProjection, ResourceRegistry, type EventContext } from '@stave/service-kit';

/** Milliseconds for which a decision waits until this process has counted everything that earlier decisions were based on. */
const COUNT_MS = 2_000;

const notCounted: ServiceError = {
  code: 'catching-up',
  kind: 'unavailable',
  detail: 'this process has not counted everything yet that the quota of the project depends on',
  retryAfterMs: 1_000,
};

/** Keeps the reservations in the quotas of projects. */
@Injectable()
export class QuotaLedger {
  constructor(
    private readonly projection: QuotaProjection,
    private readonly feed: Feed,
    registry: ResourceRegistry,
  ) {
    registry.follow(projection);
  }

  /**
   * Returns the limited dimensions that the demand would change, after everything that was acknowledged before. Reserves nothing. Throws
   * RefusedError `quota-exceeded` where the project has no room.
   */
  async check(projectId: string, demand: QuotaDemand): Promise<readonly QuotaClaim[]> {
    const { model } = this.projection;
    await this.feed.caughtUp();
    await this.decided(
      async decide => {
        const entry = await model.load(projectId);
        const decision = decide(entry.state, entry);
        if (!decision.ok) throw new RefusedError(decision.refusal);
      },
      this.reservation(projectId, demand),
    );
    const { state } = await model.load(projectId);
    return quotaClaims(state, this.projection.usage.of(projectId), demand);
  }

  /** Reserves room where the project has a limit that concerns the demand. Idempotent. Throws RefusedError `quota-exceeded`. */
  async reserve(projectId: string, demand: QuotaDemand, context: EventContext): Promise<void> {
    await this.decided(
      async decide => void (await this.projection.model.execute(projectId, decide, context)),
      this.reservation(projectId, demand),
    );
  }

  /** Gives a reservation back whose event will not be appended. Idempotent. */
  async release(projectId: string, id: string, context: EventContext): Promise<void> {
    const ended = { created: [], abandoned: [id] };
    await this.projection.model.execute(projectId, state => endQuotaReservations(state, ended), context);
  }

  /**
   * Decides on what the streams of the resources and of the quota show together: a resource is counted by its reservation until that is
   * settled, and then by its own events, which this process must have seen.
   */
  private reservation(projectId: string, demand: QuotaDemand): Decide {
    return (state, { position }) => {
      if (position > this.feed.position) throw new Uncounted(position);
      return reserveQuota(state, this.projection.usage.of(projectId), demand);
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
        } else if (!isCurrent && isQuotaExceeded(error)) {
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
