import { Inject, Injectable } from '@nestjs/common';
import { endQuotaReservations, type QuotaReservation } from '@stave/domain';
import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import {
  CREATION_ABANDONED,
  EVENT_STORE,
  Feed,
  LeaderTasks,
  newEvents,
  RECONCILER,
  type EventContext,
} from '@stave/service-kit';
import { QuotaProjection } from './quota.projection.js';

/** Milliseconds after which a reservation whose resource does not exist is given back. A creation that comes later is refused. */
export const RESERVED_MS = 30_000;
/** Milliseconds from a reservation to the first look whether its resource was created: reservations of that time are settled together. */
const FIRST_LOOK_MS = 200;
/** Milliseconds between two further looks. */
const LOOK_MS = 1_000;

/** Ends reservations: those whose resources exist, and those of requests that never came to create theirs. */
@Injectable()
export class QuotaReconciler {
  constructor(
    private readonly projection: QuotaProjection,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    feed: Feed,
    leaderTasks: LeaderTasks,
  ) {
    const { model } = projection;
    const queue = leaderTasks.addQueue('quota', {
      work: id => this.reconcile(id),
      concurrency: 4,
      resync: { ids: () => model.ids(), needsWork: id => (model.get(id)?.open.size ?? 0) > 0 },
    });
    projection.onReserved(id => {
      if (!feed.replaying) queue.markLater(id, FIRST_LOOK_MS);
    });
  }

  /** Idempotent. Resolves to the milliseconds until the next look where reservations are left. */
  async reconcile(projectId: string): Promise<number | undefined> {
    const { model } = this.projection;
    const context = { correlationId: projectId, actor: RECONCILER, project: projectId };
    const [created, abandoned]: [string[], string[]] = [[], []];
    for (const [id, reservation] of model.get(projectId)?.open ?? []) {
      const [first] = await this.store.readStream(reservation.stream, { limit: 1 });
      if (first) (first.type === CREATION_ABANDONED ? abandoned : created).push(id);
      else if (await this.abandons(reservation, context)) abandoned.push(id);
    }
    const { state } = await model.settle(
      projectId,
      open => endQuotaReservations(open, { created, abandoned }),
      context,
    );
    return state.open.size > 0 ? LOOK_MS : undefined;
  }

  /** Makes sure that the resource of an old reservation, which does not exist, is never created. Returns false where it is too early, or too late. */
  private async abandons({ stream, reservedAt }: QuotaReservation, context: EventContext): Promise<boolean> {
    if (Date.parse(reservedAt) + RESERVED_MS > Date.now()) return false;
    const events = newEvents(stream, -1, [{ type: CREATION_ABANDONED, data: {} }], context, new Date().toISOString());
    try {
      await this.store.append(stream, events, 'no_stream');
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return false;
      throw error;
    }
  }
}
