import { Injectable } from '@nestjs/common';
import { RefusedError, type ResourceDocument } from '@stave/contracts';
import { accept, notFound, projectStream, type ProjectCreated, type ProjectState } from '@stave/domain';
import {
  DEFAULT_PROJECT,
  mayTouch,
  NameIndex,
  Names,
  ownStreamProjection,
  RECONCILER,
  type EventContext,
  type Search,
} from '@stave/service-kit';

const SCOPE = 'project';

@Injectable()
export class ProjectProjection extends ownStreamProjection('project', projectStream) {}

/** Tenants, with unique names. The project `default` always exists. */
@Injectable()
export class Projects {
  private readonly byName: Pick<NameIndex<ProjectState>, 'idsOf'>;

  constructor(
    private readonly names: Names,
    private readonly projection: ProjectProjection,
  ) {
    this.byName = new NameIndex(projection.model, ({ project }) => project.name);
  }

  /** Throws RefusedError `name-taken`. */
  reserveName({ id, name }: ProjectCreated['data'], context: EventContext): Promise<void> {
    return this.names.reserveAhead(
      SCOPE,
      name,
      { targetId: id, targetStream: this.projection.model.stream(id) },
      context,
    );
  }

  /** Frees the name of a project that is deleted. Idempotent. */
  releaseName({ id, name }: ProjectState['project'], context: EventContext): Promise<void> {
    return this.names.release(SCOPE, name, id, context);
  }

  /** Creates the project `default`. Idempotent. */
  async ensureDefault(): Promise<void> {
    const id = DEFAULT_PROJECT;
    const data = { id, name: id };
    const context = { correlationId: id, actor: RECONCILER, project: id };
    await this.reserveName(data, context);
    await this.projection.model.load(id);
    await this.projection.model.create(id, () => accept<ProjectCreated>({ type: 'ProjectCreated', data }), context);
  }

  /** Returns the id of the project with this id or name; undefined when it does not exist or the requester may not see it. */
  async find({ actor, asKnown = false }: Search, ref: string): Promise<string | undefined> {
    const state = await (asKnown ? this.known(ref) : this.acknowledged(ref));
    if (!state || state.deleted || !mayTouch(actor, state.project.id)) return undefined;
    return state.project.id;
  }

  /** As `find`. Throws RefusedError `not-found`. */
  async existing(search: Search, ref: string): Promise<{ readonly id: string }> {
    const id = await this.find(search, ref);
    if (id === undefined) throw new RefusedError(notFound('the project'));
    return { id };
  }

  /** Returns a project as this process knows it. */
  get(id: string): ProjectState | undefined {
    return this.projection.model.get(id);
  }

  private known(ref: string): ProjectState | undefined {
    const { model } = this.projection;
    return model.get(ref) ?? model.get(this.byName.idsOf(ref)[0] ?? '');
  }

  private async acknowledged(ref: string): Promise<ProjectState | undefined> {
    const { model } = this.projection;
    const { state } = await model.lookUp(ref);
    if (state) return state;
    const owner = await this.names.owner(SCOPE, ref);
    return owner && (await model.lookUp(owner.targetId)).state;
  }
}

/** Returns the fields of a project. */
export function projectFields(state: ProjectState): ResourceDocument {
  const { project, description, labels, disabled, createdAt, updatedAt, revision } = state;
  const { id, name } = project;
  const status = disabled ? 'DISABLED' : 'ACTIVE';
  return { id, name, projectId: id, description, labels, status, createdAt, updatedAt, revision };
}
