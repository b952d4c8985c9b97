import { abandonTemplateMove, accept, omitUndefined, type NodeGroupTemplateState } from '@stave/domain';
import { EVENT_STORE, Names, nameTaken, type EventContext, type NameOwner } from '@stave/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { EventStore } from '@stave/platform';
import { TemplateProjection } from './template.projection.js';

export interface Place {
  readonly projectId: string;
  /** null: free-standing. */
  readonly clusterTemplateId: string | null;
}

/** Returns the scope in which names of node group templates are unique: their cluster template, or the free-standing ones of the project. */
const groupTemplateNames = ({ projectId, clusterTemplateId }: Place): string =>
  `${clusterTemplateId ?? projectId}|nodeGroupTemplate`;

const placeOf = ({ created, clusterTemplateId }: NodeGroupTemplateState): Place => ({
  projectId: created?.projectId ?? '',
  clusterTemplateId,
});

/**
 * Reserves names of node group templates in their places (ADR 11). A template that is moved reserves its name at the destination first, with
 * its number of events (`asOf`), and the move is appended as the next event or not at all. So the name is free again as soon as its holder
 * has any other event after that; where it has none yet, the request that needs the name appends one.
 */
@Injectable()
export class TemplateNames {
  private readonly names: Names;

  constructor(
    @Inject(EVENT_STORE) store: EventStore,
    private readonly projection: TemplateProjection,
  ) {
    this.names = new Names(store, (holder, scope, context) => this.stillHolds(holder, scope, context));
  }

  /** Throws RefusedError `name-taken` where a template other than `id` has the name in this place. */
  async check(place: Place, name: string, id: string): Promise<void> {
    const holder = await this.names.owner(groupTemplateNames(place), name);
    if (!holder || holder.targetId === id) return;
    const { state } = await this.projection.groupTemplates.load(holder.targetId);
    if (isPlaced(state, groupTemplateNames(place))) throw nameTaken(name);
  }

  /** Reserves the name in this place. `asOf` is the number of events of an existing template. Throws RefusedError `name-taken`. */
  async take(
    place: Place,
    { id, name }: { id: string; name: string },
    context: EventContext,
    asOf?: number,
  ): Promise<void> {
    const owner = { targetId: id, targetStream: this.projection.groupTemplates.stream(id), ...omitUndefined({ asOf }) };
    await this.names.reserve(groupTemplateNames(place), name, owner, context);
  }

  /** Releases the name in every place that the template has left. Idempotent. */
  async tidy(state: NodeGroupTemplateState, context: EventContext): Promise<void> {
    const { created, deleted, previousClusterTemplateIds } = state;
    if (!created) return;
    const { projectId, id, name } = created;
    const left = deleted ? [...previousClusterTemplateIds, state.clusterTemplateId] : previousClusterTemplateIds;
    for (const clusterTemplateId of left) {
      const scope = groupTemplateNames({ projectId, clusterTemplateId });
      const holder = await this.names.owner(scope, name);
      const now = (await this.projection.groupTemplates.load(id)).state;
      if (holder?.targetId !== id || isPlaced(now, scope)) continue;
      if (now.deleted || now.eventCount > (holder.asOf ?? 0)) await this.names.release(scope, name, holder, context);
    }
  }

  private async stillHolds({ targetId, asOf = 0 }: NameOwner, scope: string, context: EventContext): Promise<boolean> {
    const { groupTemplates } = this.projection;
    let { state } = await groupTemplates.load(targetId);
    while (!isPlaced(state, scope) && state.eventCount <= asOf) {
      const seen = state.eventCount;
      const decide = (s: NodeGroupTemplateState) => (s.eventCount === seen ? accept(abandonTemplateMove()) : accept());
      ({ state } = await groupTemplates.execute(targetId, decide, context));
    }
    return isPlaced(state, scope);
  }
}

const isPlaced = (state: NodeGroupTemplateState, scope: string): boolean =>
  state.created !== undefined && !state.deleted && groupTemplateNames(placeOf(state)) === scope;
