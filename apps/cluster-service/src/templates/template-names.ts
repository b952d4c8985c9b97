import { abandonTemplateMove, accept, type NodeGroupTemplateState } from '@stave/domain';
import { EVENT_STORE, Names, nameTaken, type EventContext, type NameOwner } from '@stave/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { EventStore } from '@stave/platform';
import { TemplateProjection } from './template.projection.js';

export interface Place {
  readonly projectId: string;
  /** null: free-standing. */
  readonly clusterTemplateId: string | null;
}

/** In which names of node group templates are unique: in their cluster template, or among the free-standing ones of the project. */
export const groupTemplateNames = ({ projectId, clusterTemplateId }: Place): string =>
  `${clusterTemplateId ?? projectId}|nodeGroupTemplate`;

const placeOf = ({ created, clusterTemplateId }: NodeGroupTemplateState): Place => ({
  projectId: created?.projectId ?? '',
  clusterTemplateId,
});

/**
 * Names of node group templates where they stand. One that is moved takes its name in the new place first, with how many events it has
 * (`asOf`), and the move is appended as the next event or not at all. So a name is free again as soon as its holder has any other event
 * after that; where it has none yet, whoever needs the name appends one.
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

  /** Throws RefusedError `name-taken` where another has the name in this place; `id` may have it. */
  async check(place: Place, name: string, id: string): Promise<void> {
    const holder = await this.names.owner(groupTemplateNames(place), name);
    if (!holder || holder.targetId === id) return;
    const { state } = await this.projection.groupTemplates.load(holder.targetId);
    if (isPlaced(state, groupTemplateNames(place))) throw nameTaken(name);
  }

  /** Makes the name the template's in this place. `asOf`: of one that is there already. Throws RefusedError `name-taken`. */
  async take(
    place: Place,
    { id, name }: { id: string; name: string },
    context: EventContext,
    asOf?: number,
  ): Promise<void> {
    const owner = { targetId: id, targetStream: this.projection.groupTemplates.stream(id) };
    const dated = asOf === undefined ? owner : { ...owner, asOf };
    await this.names.reserve(groupTemplateNames(place), name, dated, context);
  }

  /** Frees its name wherever it does not stand any more. Again changes nothing. */
  async tidy(state: NodeGroupTemplateState, context: EventContext): Promise<void> {
    const { created, deleted, previousClusterTemplateIds } = state;
    if (!created) return;
    const { projectId, id, name } = created;
    for (const clusterTemplateId of deleted
      ? [...previousClusterTemplateIds, state.clusterTemplateId]
      : previousClusterTemplateIds) {
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
