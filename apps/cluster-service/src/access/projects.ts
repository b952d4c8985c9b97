import { Injectable } from '@nestjs/common';
import { RefusedError, type ResourceDocument } from '@stave/contracts';
import {
  accept,
  getOrCreate,
  notFound,
  projectStream,
  type MemberRole,
  type ProjectCreated,
  type ProjectMemberSet,
  type ProjectState,
} from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import {
  DEFAULT_PROJECT,
  mayTouch,
  modelsOf,
  NameIndex,
  Names,
  RECONCILER,
  retention,
  type EventContext,
  type EventFeed,
  type Projection,
  type ResourceChanged,
  type Retention,
  type Search,
} from '@stave/service-kit';

const SCOPE = 'project';

/** A project in which a subject has a role. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: MemberRole;
}

/** Projects, found by the subjects of their members, too. */
@Injectable()
export class ProjectProjection extends modelsOf({ model: projectStream }) implements Projection {
  private readonly bySubject = new Map<string, Set<string>>();

  follow(feed: EventFeed, changed: ResourceChanged): void {
    feed.on('project', event => {
      const id = idOf(event);
      const members = this.model.get(id)?.members;
      this.model.apply(event);
      this.index(id, event, members);
      changed('project', id, event);
    });
  }

  retentions(): readonly Retention[] {
    return [retention(this.model)];
  }

  /** Returns the projects that exist and have the subject as a member, in the order of their ids. */
  membershipsOf(subject: string): readonly Membership[] {
    return [...(this.bySubject.get(subject) ?? [])].sort().flatMap(projectId => {
      const state = this.model.get(projectId);
      const role = state?.members.get(subject);
      return state && role ? [{ ...state.project, role }] : [];
    });
  }

  /** By the event, since a command has changed the state of its own project before. A deleted project has no members. */
  private index(id: string, { type, data }: RecordedEvent, members: ProjectState['members'] = new Map()): void {
    const { subject } = data as Partial<ProjectMemberSet['data']>;
    if (type === 'ProjectDeleted') for (const each of members.keys()) this.remove(each, id);
    else if (type === 'ProjectMemberRemoved' && subject !== undefined) this.remove(subject, id);
    else if (type === 'ProjectMemberSet' && subject !== undefined)
      getOrCreate(this.bySubject, subject, () => new Set<string>()).add(id);
  }

  private remove(subject: string, id: string): void {
    const ids = this.bySubject.get(subject);
    if (ids?.delete(id) && ids.size === 0) this.bySubject.delete(subject);
  }
}

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
