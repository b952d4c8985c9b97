import { abandonTemplateMove, accept, omitUndefined, type NodeGroupTemplateState } from '@stave/domain';
import { EVENT_STORE, Names, nameTaken, type EventContext, type NameOwner } from '@stave/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { EventStore } from '@stave/platform';
import { TemplateProjection } from './template.projection.js';

export interface NameScope {
  readonly projectId: string;
  /** null: free-standing. */
  readonly clusterTemplateId: string | null;
}

/** Returns the scope in which names of node group templates are unique: their cluster template, or the free-standing ones of the project. */
const groupTemplateNames = ({ projectId, clusterTemplateId }: NameScope): string =>
  `${clusterTemplateId ?? projectId}|nodeGroupTemplate`;

const scopeOf = ({ created, clusterTemplateId }: NodeGroupTemplateState): NameScope => ({
  projectId: created.projectId,
  clusterTemplateId,
});

/**
 * Reserves names of node group templates in their scopes (ADR 11). A template that is moved reserves its name at the destination first, with
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

  /** Throws RefusedError `name-taken` where a template other than `id` has the name in this scope. */
  async check(scope: NameScope, name: string, id: string): Promise<void> {
    const holder = await this.names.owner(groupTemplateNames(scope), name);
    if (!holder || holder.targetId === id) return;
    const { state } = await this.projection.groupTemplates.load(holder.targetId);
    if (isInScope(state, groupTemplateNames(scope))) throw nameTaken(name);
  }

  /** Reserves the name in this scope. `asOf` is the number of events of an existing template. Throws RefusedError `name-taken`. */
  async take(
    scope: NameScope,
    { id, name }: { id: string; name: string },
    context: EventContext,
    asOf?: number,
  ): Promise<void> {
    const owner = { targetId: id, targetStream: this.projection.groupTemplates.stream(id), ...omitUndefined({ asOf }) };
    await this.names.reserve(groupTemplateNames(scope), name, owner, context);
  }

  /** Releases the name in every scope that the template has left. Idempotent. */
  async tidy(state: NodeGroupTemplateState, context: EventContext): Promise<void> {
    const { created, deleted, previousClusterTemplateIds } = state;
    const { projectId, id, name } = created;
    const left = deleted ? [...previousClusterTemplateIds, state.clusterTemplateId] : previousClusterTemplateIds;
    for (const clusterTemplateId of left) {
      const scope = groupTemplateNames({ projectId, clusterTemplateId });
      const holder = await this.names.owner(scope, name);
      const { state: now } = await this.projection.groupTemplates.loadExisting(id);
      if (holder?.targetId !== id || isInScope(now, scope)) continue;
      if (now.deleted || now.eventCount > (holder.asOf ?? 0)) await this.names.release(scope, name, holder, context);
    }
  }

  private async stillHolds({ targetId, asOf = 0 }: NameOwner, scope: string, context: EventContext): Promise<boolean> {
    const { groupTemplates } = this.projection;
    let { state } = await groupTemplates.load(targetId);
    while (state && !isInScope(state, scope) && state.eventCount <= asOf) {
      const seen = state.eventCount;
      const decide = (s: NodeGroupTemplateState) => (s.eventCount === seen ? accept(abandonTemplateMove()) : accept());
      ({ state } = await groupTemplates.execute(targetId, decide, context));
    }
    return isInScope(state, scope);
  }
}

const isInScope = (state: NodeGroupTemplateState | undefined, scope: string): boolean =>
  state !== undefined && !state.deleted && groupTemplateNames(scopeOf(state)) === scope;
