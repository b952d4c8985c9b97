import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  actOnContainer,
  cancelContainerOperation,
  createContainer,
  deleteContainer,
  changedContents,
  CONTAINER_RETRY,
  decideClusterPlacement,
  notFound,
  clusterWorkRefusal,
  retryContainer,
  updateContainer,
  type ContainerChanges,
  type ContainerDeclaration,
  type ContainerHosts,
  type ContainerState,
  type HostNodeView,
  type OperationStart,
} from '@stave/domain';
import {
  ReplyWithPosition,
  requestContext,
  ResourceCommands,
  type EventContext,
  type ResourceScope,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/service-kit';
import { containerFields } from './container.document.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { contentsOf, type ContentsInput } from '../profiles/container-spec.js';
import type { ResourceLookup } from '../resource-lookup.js';
import { resolveHosts } from '../profiles/placement-target.js';

export interface ContainerInput extends ContentsInput, ContainerHosts {
  readonly profile?: string;
  readonly name?: string;
  /** Other names of hostCluster and hostNode. */
  readonly cluster?: string;
  readonly node?: string;
}

type Answer = Promise<ReplyWithPosition<CommandResult>>;
export const CONTAINER_NAMES = 'container';

const required = (pointer: string): RefusedError => {
  const detail = 'a container profile is required';
  return new RefusedError({
    code: 'required',
    kind: 'invalid',
    detail,
    errors: [{ pointer, code: 'required', detail }],
  });
};

/** Commands on containers. */
export class ContainerCommands {
  private readonly commands: ResourceCommands<ContainerState>;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: SchedulerModels,
    private readonly find: ResourceLookup,
  ) {
    this.commands = new ResourceCommands(runtime.ledger, { model: models.containers, home, show: containerFields });
  }

  async create(meta: RequestMeta, body: ContainerInput): Answer {
    const { containers } = this.models;
    const fresh = this.runtime.newIds(meta);
    const check = async (): Promise<void> => void (await this.declare(meta, body, fresh));
    return this.runtime.ledger.run(meta, body, fresh, check, async ids => {
      const done = await containers.asAccepted(ids.resourceId, ids.requestId);
      if (done) return made(done.state, ids, done.position);
      const { declaration, node } = await this.declare(meta, body, ids);
      const { id, name, projectId, clusterId } = declaration;
      const context = requestContext(meta, ids, projectId, clusterId);
      const owner = { targetId: id, targetStream: containers.stream(id) };
      await this.runtime.names.reserve(`${projectId}|${CONTAINER_NAMES}`, name, owner, context);
      const { state, position } = await containers.execute(id, s => createContainer(s, declaration, node), context);
      return made(state, ids, position);
    });
  }

  action(meta: RequestMeta, ref: string, action: string, body: unknown): Answer {
    if (action === 'retry')
      return this.commands.change(meta, {
        ...this.target(meta, ref),
        body,
        starts: true,
        decide: (state, ids) => retryContainer(state, start(CONTAINER_RETRY, ids), meta.ifMatch),
      });
    if (action !== 'start' && action !== 'stop' && action !== 'restart')
      throw new RefusedError({
        code: 'unknown-action',
        kind: 'not-found',
        detail: `containers have no action ${action}`,
      });
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body,
      starts: true,
      decide: (state, ids) => actOnContainer(state, action, start(`container.${action}`, ids), meta.ifMatch),
    });
  }

  patch(meta: RequestMeta, ref: string, changes: ContainerChanges): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: changes,
      starts: changes.resources !== undefined || changes.restartPolicy !== undefined,
      decide: (state, ids) => updateContainer(state, changes, start('container.update', ids), meta.ifMatch),
      before: (state, context) => this.roomFor(state, changes, context),
    });
  }

  /** Takes the room that it will need before the change is told; what is taken for nothing the next look gives back. */
  private async roomFor(state: ContainerState, changes: ContainerChanges, context: EventContext): Promise<void> {
    const { declared, contents, nodeId } = state;
    const capacity = this.models.nodes.get(nodeId ?? '')?.result?.capacity;
    if (!declared || !contents || !capacity || !changes.resources) return;
    const { cpus = 0, memoryMb = 0 } = changedContents(contents, changes).resources;
    const resources = { cpus, memoryMb };
    await this.models.placement.append(
      declared.clusterId,
      placement => {
        const decision = decideClusterPlacement(
          { type: 'Resize', containerId: declared.id, resources, capacity },
          placement,
        );
        if (!decision.ok)
          throw new RefusedError({ code: 'insufficient-resources', kind: 'capacity', detail: decision.detail });
        return decision.events;
      },
      context,
    );
  }

  remove(meta: RequestMeta, ref: string): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { delete: true },
      starts: true,
      decide: (state, ids) => {
        const operation = start('container.delete', ids);
        return deleteContainer(
          state,
          { operationId: operation.id, operation, reason: 'deleted by request' },
          meta.ifMatch,
        );
      },
    });
  }

  /** Undoes a creation under way. Answers the position of what it appended. */
  async cancel(meta: RequestMeta, containerId: string, operationId: string): Promise<number | undefined> {
    const answer = await this.commands.change(meta, {
      find: () => Promise.resolve(containerId),
      body: { cancel: operationId },
      starts: false,
      partOf: operationId,
      decide: state => cancelContainerOperation(state, operationId),
    });
    return answer.position;
  }

  private target(meta: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.find.container(meta, ref)).id };
  }

  /** The container that this body asks for, every reference resolved and every rule checked. */
  private async declare(
    meta: RequestMeta,
    body: ContainerInput,
    ids: RequestIds,
  ): Promise<{ readonly declaration: ContainerDeclaration; readonly node?: HostNodeView }> {
    const { profile: ref, name, cluster, node: nodeRef, hostCluster, hostNode, ...overrides } = body;
    if (ref === undefined) throw required('/profile');
    const profile = await this.find.profile(meta, ref);
    const { spec, created } = profile.state;
    if (!spec || !created) throw new RefusedError(notFound('the container profile'));
    const wanted = {
      hostNode: hostNode ?? nodeRef ?? spec.hostNode,
      hostCluster: hostCluster ?? cluster ?? spec.hostCluster,
    };
    const { hosts, node } = await resolveHosts(this.find, meta, given(wanted));
    const clusterId = hosts.hostCluster ?? node?.clusterId ?? '';
    const target = this.models.clusters.get(clusterId);
    if (!target?.created || target.deleted) throw new RefusedError(notFound('the cluster'));
    const refusal = clusterWorkRefusal(target);
    if (refusal) throw new RefusedError(refusal);
    const declaration: ContainerDeclaration = {
      id: ids.resourceId,
      name: name ?? `${created.name.slice(0, 50)}-${ids.resourceId.slice(-8)}`,
      projectId: target.created.projectId,
      profileId: profile.id,
      clusterId,
      ...hosts,
      contents: contentsOf({ ...spec.contents, ...overrides }),
      operation: { id: ids.operationId, kind: 'container.create', total: 1 },
    };
    return { declaration, ...(node ? { node } : {}) };
  }
}

const home = ({ declared }: ContainerState): ResourceScope => ({
  projectId: declared?.projectId ?? '',
  clusterId: declared?.clusterId ?? '',
});

const start = (kind: string, { operationId: id }: RequestIds): OperationStart => ({ id, kind, total: 1 });

function given(hosts: { hostNode: string | undefined; hostCluster: string | undefined }): ContainerHosts {
  const { hostNode, hostCluster } = hosts;
  return { ...(hostNode === undefined ? {} : { hostNode }), ...(hostCluster === undefined ? {} : { hostCluster }) };
}

const made = (
  state: ContainerState,
  { operationId }: RequestIds,
  position: number | undefined,
): ReplyWithPosition<CommandResult> =>
  new ReplyWithPosition({ resource: containerFields(state), operationId }, position);
