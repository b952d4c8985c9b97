import { Inject, Injectable } from '@nestjs/common';
import { endQuotaReservations, type QuotaReservation } from '@stave/domain';
import type { EventStore } from '@stave/platform';
import {
  abandonChange,
  CHANGE_ABANDONED,
  CREATION_ABANDONED,
  EVENT_STORE,
  Feed,
  LeaderTasks,
  QuotaProjection,
  RECONCILER,
  type EventContext,
} from '@stave/service-kit';

/** Milliseconds after which a reservation whose event was not appended is given back. A creation or change that comes later is refused. */
export const RESERVED_MS = 30_000;
/** Milliseconds from a reservation to the first look whether its event was appended: reservations of that time are settled together. */
const FIRST_LOOK_MS = 200;
/** Milliseconds between two further looks. */
const LOOK_MS = 1_000;

/** Ends reservations: those whose events were appended, and those of requests that never came to append theirs. */
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
      const [next] = await this.store.readStream(reservation.stream, { from: reservation.after + 1, limit: 1 });
      if (next) (isAbandonment(next.type) ? abandoned : created).push(id);
      else if (await this.abandons(reservation, context)) abandoned.push(id);
    }
    const { state } = await model.settle(
      projectId,
      open => endQuotaReservations(open, { created, abandoned }),
      context,
    );
    return state.open.size > 0 ? LOOK_MS : undefined;
  }

  /** Takes the place of the event that an old reservation is for. Returns false where it is too early, or too late. */
  private async abandons({ stream, after, reservedAt }: QuotaReservation, context: EventContext): Promise<boolean> {
    if (Date.parse(reservedAt) + RESERVED_MS > Date.now()) return false;
    return abandonChange(this.store, { stream, after }, context);
  }
}

const isAbandonment = (type: string): boolean => type === CREATION_ABANDONED || type === CHANGE_ABANDONED;
