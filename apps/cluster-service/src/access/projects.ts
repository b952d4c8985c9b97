import { Injectable } from '@nestjs/common';
import type { Actor, ResourceDocument } from '@stave/contracts';
import { accept, projectStream, type ProjectCreated, type ProjectState } from '@stave/domain';
import {
  DEFAULT_PROJECT,
  mayTouch,
  Names,
  ownStreamProjection,
  RECONCILER,
  type EventContext,
} from '@stave/service-kit';

const SCOPE = 'project';

@Injectable()
export class ProjectProjection extends ownStreamProjection('project', projectStream) {}

/** Tenants, with unique names. The project `default` always exists. */
@Injectable()
export class Projects {
  constructor(
    private readonly names: Names,
    private readonly projection: ProjectProjection,
  ) {}

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
  async find(actor: Actor, ref: string): Promise<string | undefined> {
    const { state } = await this.projection.model.lookUp(ref);
    const id = state ? ref : (await this.names.owner(SCOPE, ref))?.targetId;
    return id !== undefined && mayTouch(actor, id) ? id : undefined;
  }
}

/** Returns the fields of a project. */
export function projectFields({ project: { id, name }, createdAt }: ProjectState): ResourceDocument {
  return { id, name, projectId: id, createdAt, updatedAt: createdAt, revision: 1 };
}
