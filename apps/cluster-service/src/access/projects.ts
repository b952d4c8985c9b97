import { Injectable } from '@nestjs/common';
import type { Actor, RequestMeta, ResourceDocument } from '@stave/contracts';
import { accept, projectStream, type ProjectCreated, type ProjectState } from '@stave/domain';
import {
  DEFAULT_PROJECT,
  mayTouch,
  Names,
  ownStreamProjection,
  ReplyWithPosition,
  requestContext,
  RequestLedger,
} from '@stave/service-kit';

const NAMES = 'project';

@Injectable()
export class ProjectProjection extends ownStreamProjection('project', projectStream) {}

/** Tenants. The project `default` always exists. */
@Injectable()
export class Projects {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly names: Names,
    private readonly projection: ProjectProjection,
  ) {}

  async create(meta: RequestMeta, body: { readonly name: string }): Promise<ReplyWithPosition<unknown>> {
    const fresh = this.ledger.newIds(meta);
    const nothing = (): Promise<void> => Promise.resolve();
    return this.ledger.run(meta, body, fresh, nothing, async ids => {
      const context = requestContext(meta, { requestId: ids.requestId }, ids.resourceId);
      await this.names.reserve(
        NAMES,
        body.name,
        { targetId: ids.resourceId, targetStream: this.projection.model.stream(ids.resourceId) },
        context,
      );
      const data = { id: ids.resourceId, name: body.name };
      await this.projection.model.load(ids.resourceId);
      const { state, position } = await this.projection.model.execute(
        ids.resourceId,
        s => (s.project ? accept() : accept<ProjectCreated>({ type: 'ProjectCreated', data })),
        context,
      );
      return new ReplyWithPosition(
        { resource: projectFields(state) },
        position ?? this.projection.model.entry(ids.resourceId)?.position,
      );
    });
  }

  /** Creates the project `default` unless it exists. */
  async ensureDefault(): Promise<void> {
    const id = DEFAULT_PROJECT;
    const context = { correlationId: id, project: id };
    await this.names.reserve(NAMES, id, { targetId: id, targetStream: this.projection.model.stream(id) }, context);
    const made = { type: 'ProjectCreated', data: { id, name: id } } as const;
    await this.projection.model.execute(id, s => (s.project ? accept() : accept<ProjectCreated>(made)), context);
  }

  /** Id of the project with this id or name; undefined when it does not exist or the requester may not see it. */
  async find(actor: Actor, ref: string): Promise<string | undefined> {
    const { state } = await this.projection.model.load(ref);
    const id = state.project ? ref : (await this.names.owner(NAMES, ref))?.targetId;
    return id !== undefined && mayTouch(actor, id) ? id : undefined;
  }
}

/** The fields of a project; undefined for one that was never created. */
export function projectFields(state: ProjectState): ResourceDocument {
  const { project, createdAt } = state;
  return {
    id: project?.id ?? '',
    name: project?.name ?? '',
    projectId: project?.id ?? '',
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  };
}
