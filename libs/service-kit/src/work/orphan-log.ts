import type { OrphanRemoved, OrphanVerdictReply, OrphanVerdictRequest, RequestMeta } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import { newEvents } from '../resources/new-events.js';

/** Classifies a unit found on the infrastructure by what the log says of it; never by a read model. */
export type ClassifyUnit = (
  unit: OrphanVerdictRequest['units'][number],
) => Promise<OrphanVerdictReply['verdicts'][number]>;

/** Records removed orphans: units on the infrastructure that no resource owns. */
export class OrphanLog {
  constructor(
    private readonly store: EventStore,
    private readonly now: () => string = () => new Date().toISOString(),
  ) {}

  /** Appends that a conductor removed this unit, once. */
  async record({ correlationId, actor }: RequestMeta, data: OrphanRemoved): Promise<void> {
    const stream = `orphan-${data.resourceId}`;
    const known = await this.store.readStream(stream);
    if (known.some(e => (e.data as OrphanRemoved).infrastructureId === data.infrastructureId)) return;
    const context = { correlationId, actor: actor.keyId };
    const removed = [{ type: 'OrphanRemoved', data }];
    await this.store.append(stream, newEvents(stream, known.length - 1, removed, context, this.now()), 'any');
  }
}
