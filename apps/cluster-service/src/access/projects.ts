import { RefusedError, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { accept, evolveProject, initialProject, type ProjectCreated, type ProjectState } from '@stave/domain';
import {
  DEFAULT_PROJECT,
  notFoundError,
  Positioned,
  requestContext,
  ResourceModel,
  type EventStore,
  type ServiceRuntime,
} from '@stave/platform';

/** Tenants. The project `default` is there from the beginning. */
export class Projects {
  readonly model: ResourceModel<ProjectState>;

  constructor(
    store: EventStore,
    private readonly runtime: ServiceRuntime,
  ) {
    this.model = new ResourceModel<ProjectState>(
      'project',
      { initial: initialProject, evolve: (s, e, t) => evolveProject(s, e as ProjectCreated, t) },
      store,
    );
    runtime.feed.on('project', event => {
      this.model.apply(event);
      runtime.mark('projects', event.stream.slice('project-'.length));
    });
    runtime.addReadModel({
      name: 'projects',
      indexes: ['projectId', 'createdAt', 'name'],
      all: () => [...this.model.all()].map(([id, { position }]) => [id, position] as const),
      document: id => {
        const entry = this.model.entry(id);
        return entry?.state.project
          ? { _id: id, position: entry.position, deleted: false, ...projectFields(entry.state) }
          : undefined;
      },
    });
  }

  async create(meta: RequestMeta, body: { readonly name: string }): Promise<Positioned<unknown>> {
    const fresh = this.runtime.newIds();
    const nothing = (): Promise<void> => Promise.resolve();
    return this.runtime.ledger.run(meta, body, fresh, nothing, async ids => {
      const context = requestContext(meta, { requestId: ids.requestId }, ids.resourceId);
      await this.runtime.names.reserve(
        'project',
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
      return new Positioned({ resource: projectFields(state) }, position ?? this.model.entry(ids.resourceId)?.position);
    });
  }

  async ensureDefault(): Promise<void> {
    await this.model.load(DEFAULT_PROJECT);
    const data = { id: DEFAULT_PROJECT, name: DEFAULT_PROJECT };
    await this.model.execute(
      DEFAULT_PROJECT,
      s => (s.project ? accept() : accept<ProjectCreated>({ type: 'ProjectCreated', data })),
      { correlationId: DEFAULT_PROJECT, project: DEFAULT_PROJECT },
    );
  }

  /** Id of the project with this id or name. */
  async resolve(ref: string): Promise<string> {
    const { state } = await this.model.load(ref);
    if (state.project) return ref;
    const owner = await this.runtime.names.owner('project', ref);
    if (owner) return owner.targetId;
    throw new RefusedError({
      ...notFoundError('the project'),
      kind: 'rule',
      code: 'unknown-project',
      errors: [{ pointer: '/project', code: 'unknown-project', detail: 'the project does not exist' }],
    });
  }
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
