import type { Actor, RequestMeta, ResourceDocument } from '@stave/contracts';
import { accept, projectStream, type ProjectCreated, type ProjectState } from '@stave/domain';
import {
  DEFAULT_PROJECT,
  mayTouch,
  ReplyWithPosition,
  requestContext,
  ResourceModel,
  type Folded,
  type ServiceRuntime,
  NAME_KEY,
  listIndexes,
} from '@stave/service-kit';
import type { EventStore, StoredDocument } from '@stave/platform';

const NAMES = 'project';

/** Tenants. The project `default` is there from the beginning. */
export class Projects {
  readonly model: ResourceModel<ProjectState>;

  get folded(): Folded['folded'] {
    return { model: this.model };
  }

  constructor(
    store: EventStore,
    private readonly runtime: ServiceRuntime,
  ) {
    this.model = projectModel(store);
    runtime.folds('projects', this);
    runtime.feed.on('project', event => {
      this.model.apply(event);
      runtime.mark('projects', event.stream.slice('project-'.length));
    });
    runtime.plans.describe<ProjectState>('project', { type: 'project', show: projectFields });
    runtime.addReadModel({
      name: 'projects',
      indexes: listIndexes({ sorts: [NAME_KEY], filters: [] }),
      all: () => [...this.model.all()].map(([id, { position }]) => [id, position] as const),
      document: id => projectDocument(this.model, id),
    });
  }

  async create(meta: RequestMeta, body: { readonly name: string }): Promise<ReplyWithPosition<unknown>> {
    const fresh = this.runtime.newIds(meta);
    const nothing = (): Promise<void> => Promise.resolve();
    return this.runtime.ledger.run(meta, body, fresh, nothing, async ids => {
      const context = requestContext(meta, { requestId: ids.requestId }, ids.resourceId);
      await this.runtime.names.reserve(
        NAMES,
        body.name,
        { targetId: ids.resourceId, targetStream: this.model.stream(ids.resourceId) },
        context,
      );
      const data = { id: ids.resourceId, name: body.name };
      await this.model.load(ids.resourceId);
      const { state, position } = await this.model.execute(
        ids.resourceId,
        s => (s.project ? accept() : accept<ProjectCreated>({ type: 'ProjectCreated', data })),
        context,
      );
      return new ReplyWithPosition(
        { resource: projectFields(state) },
        position ?? this.model.entry(ids.resourceId)?.position,
      );
    });
  }

  async ensureDefault(): Promise<void> {
    const id = DEFAULT_PROJECT;
    const context = { correlationId: id, project: id };
    await this.runtime.names.reserve(NAMES, id, { targetId: id, targetStream: this.model.stream(id) }, context);
    const made = { type: 'ProjectCreated', data: { id, name: id } } as const;
    await this.model.execute(id, s => (s.project ? accept() : accept<ProjectCreated>(made)), context);
  }

  /** Id of the project with this id or name; undefined when there is none, or when it is not the asker's business. */
  async find(actor: Actor, ref: string): Promise<string | undefined> {
    const { state } = await this.model.load(ref);
    const id = state.project ? ref : (await this.runtime.names.owner(NAMES, ref))?.targetId;
    return id !== undefined && mayTouch(actor, id) ? id : undefined;
  }
}

/** Empty. */
export const projectModel = (store: EventStore): ResourceModel<ProjectState> =>
  new ResourceModel<ProjectState>(projectStream, store);

export function projectDocument(
  model: ResourceModel<ProjectState>,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = model.entry(id);
  if (!entry?.state.project) return undefined;
  return { _id: id, position: entry.position, deleted: false, ...projectFields(entry.state) };
}

function projectFields(state: ProjectState): ResourceDocument {
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
