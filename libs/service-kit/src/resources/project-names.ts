import type { Actor } from '@stave/contracts';
import { isUuid } from '@stave/domain';
import { mayTouch, namingProjectsOf } from './access.js';
import { findResource, only, type FoundKind, type Named, type Search } from './find-resource.js';
import { nameTaken, type Names } from './names.js';
import type { EventContext } from './new-events.js';
import type { ResourceModel } from './resource-model.js';

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

/** The names of resources of one type, each unique in its project without regard to case. */
export class ProjectNames<S extends { readonly deleted: boolean }> {
  constructor(
    private readonly names: Names,
    private readonly model: ResourceModel<S>,
    private readonly identity: FoundKind<S>['identity'],
  ) {}

  /**
   * Finds a resource by id, or by name in the projects of the requester. Throws RefusedError `not-found`, also for resources of other projects, and
   * `ambiguous-name` where several projects have one of this name.
   */
  async find({ actor, asKnown = false }: Search, ref: string): Promise<Named<S>> {
    const { model, identity } = this;
    if (asKnown) return findResource({ actor, asKnown }, ref, { model, identity }, () => Promise.resolve());
    const ids = isUuid(ref) ? [ref] : await Promise.all(namingProjectsOf(actor).map(own => this.ownerOf(own, ref)));
    const found = await Promise.all(ids.map(id => this.visible(actor, id)));
    return only(found.flat(), model.description);
  }

  private async visible(actor: Actor, id: string | undefined): Promise<readonly Named<S>[]> {
    const state = id === undefined ? undefined : (await this.model.lookUp(id)).state;
    const isVisible = state && !state.deleted && mayTouch(actor, this.identity(state).projectId);
    return id !== undefined && isVisible ? [{ id, state }] : [];
  }

  /** Throws RefusedError `name-taken` where a resource of the project has the name. */
  async requireFree({ projectId, name }: Omit<Identity, 'id'>): Promise<void> {
    const id = await this.ownerOf(projectId, name);
    const state = id === undefined ? undefined : (await this.model.load(id)).state;
    if (state && !state.deleted) throw nameTaken(name);
  }

  /** Reserves the name for a resource that is created next with this context. Idempotent. Throws RefusedError `name-taken`. */
  reserve({ id, projectId, name }: Identity, context: EventContext): Promise<void> {
    return this.names.reserveAhead(
      this.scope(projectId),
      name,
      { targetId: id, targetStream: this.model.stream(id) },
      context,
    );
  }

  /** Releases the name of a resource that is deleted. Idempotent. */
  release({ id, projectId, name }: Identity, context: EventContext): Promise<void> {
    return this.names.release(this.scope(projectId), name, id, context);
  }

  private async ownerOf(projectId: string, name: string): Promise<string | undefined> {
    return (await this.names.owner(this.scope(projectId), name))?.targetId;
  }

  private scope(projectId: string): string {
    return `${projectId}|${this.model.category}`;
  }
}
