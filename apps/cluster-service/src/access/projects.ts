import { Injectable } from '@nestjs/common';
import type { ResourceDocument } from '@stave/contracts';
import { accept, projectStream, type ProjectCreated, type ProjectState } from '@stave/domain';
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
    const id = await (asKnown ? this.known(ref) : this.acknowledged(ref));
    return id !== undefined && mayTouch(actor, id) ? id : undefined;
  }

  private known(ref: string): string | undefined {
    return this.projection.model.get(ref) ? ref : this.byName.idsOf(ref)[0];
  }

  private async acknowledged(ref: string): Promise<string | undefined> {
    const { state } = await this.projection.model.lookUp(ref);
    return state ? ref : (await this.names.owner(SCOPE, ref))?.targetId;
  }
}

/** Returns the fields of a project. */
export function projectFields({ project: { id, name }, createdAt }: ProjectState): ResourceDocument {
  return { id, name, projectId: id, createdAt, updatedAt: createdAt, revision: 1 };
}
