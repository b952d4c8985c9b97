import { Inject, Injectable } from '@nestjs/common';
import type { OrphanRemoved, OrphanVerdictReply, OrphanVerdictRequest, RequestMeta } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import { EVENT_STORE } from '../composition/ports.js';
import { actorOf } from '../resources/access.js';
import { newEvents } from '../resources/new-events.js';

/** Classifies a unit found on the infrastructure by what the log says of it; never by a read model. */
export type ClassifyUnit = (
  unit: OrphanVerdictRequest['units'][number],
) => Promise<OrphanVerdictReply['verdicts'][number]>;

/**
 * Returns the conductor groups that may have built a unit of a resource that this service knows; none of a resource that it does not know.
 * Conductors of other groups do not learn what became of it, and keep the unit.
 */
export type GroupsOfUnit = (resourceId: string) => readonly string[];

/** Records removed orphans: units on the infrastructure that no resource owns. */
@Injectable()
export class OrphanLog {
  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  async record({ correlationId, actor }: RequestMeta, data: OrphanRemoved): Promise<void> {
    const stream = `orphan-${data.resourceId}`;
    const known = await this.store.readStream(stream);
    if (known.some(e => (e.data as OrphanRemoved).infrastructureId === data.infrastructureId)) return;
    const context = { correlationId, ...actorOf(actor) };
    const now = new Date().toISOString();
    const removed = newEvents(stream, known.length - 1, [{ type: 'OrphanRemoved', data }], context, now);
    await this.store.append(stream, removed, 'any');
  }
}
