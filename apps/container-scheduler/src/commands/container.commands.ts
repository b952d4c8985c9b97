import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  actOnContainer,
  cancelContainerOperation,
  createContainer,
  deleteContainer,
  changedContents,
  decideClusterPlacement,
  notFound,
  refusesWork,
  updateContainer,
  type ContainerChanges,
  type ContainerDeclaration,
  type ContainerEvent,
  type ContainerHosts,
  type ContainerState,
  type Decision,
  type HostNodeView,
  type OperationStart,
} from '@stave/domain';
import { Positioned, requestContext, type EventContext, type RequestIds, type ServiceRuntime } from '@stave/platform';
import { containerFields } from '../documents/container.document.js';
import type { SchedulerModels } from '../scheduler-models.js';
import { contentsOf, type ContentsInput } from './contents.js';
import type { Find, Named } from './find.js';
import { resolveHosts } from './hosts.js';

export interface ContainerInput extends ContentsInput, ContainerHosts {
  readonly profile?: string;
  readonly name?: string;
  /** Other names of hostCluster and hostNode. */
  readonly cluster?: string;
  readonly node?: string;
}

type Answer = Promise<Positioned<CommandResult>>;
type Decide = (state: ContainerState, operation: OperationStart) => Decision<ContainerEvent>;

interface Change {
  readonly decide: Decide;
  /** Comes first, once it is clear that the decision would be made. */
  readonly before?: (state: ContainerState, context: EventContext) => Promise<void>;
}

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
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: SchedulerModels,
    private readonly find: Find,
  ) {}

  async create(meta: RequestMeta, body: ContainerInput): Answer {
    const { containers } = this.models;
    const fresh = this.runtime.newIds();
    const check = async (): Promise<void> => void (await this.declare(meta, body, fresh));
    return this.runtime.ledger.run(meta, body, fresh, check, async ids => {
      const done = await containers.asAccepted(ids.resourceId, ids.requestId);
      if (done) return answer(done.state, ids.operationId, done.position);
      const { declaration, node } = await this.declare(meta, body, ids);
      const { id, name, projectId, clusterId } = declaration;
      const context = requestContext(meta, ids, projectId, clusterId);
      const owner = { targetId: id, targetStream: containers.stream(id) };
      await this.runtime.names.reserve(`${projectId}|${CONTAINER_NAMES}`, name, owner, context);
      const { state, position } = await containers.execute(id, s => createContainer(s, declaration, node), context);
      return answer(state, ids.operationId, position);
    });
  }

  action(meta: RequestMeta, ref: string, action: string, body: unknown): Answer {
    if (action !== 'start' && action !== 'stop' && action !== 'restart')
      throw new RefusedError({
        code: 'unknown-action',
        kind: 'not-found',
        detail: `containers have no action ${action}`,
      });
    return this.change(meta, ref, body, `container.${action}`, {
      decide: (state, operation) => actOnContainer(state, action, operation, meta.ifMatch),
    });
  }

  patch(meta: RequestMeta, ref: string, changes: ContainerChanges): Answer {
    const inPlace = changes.resources === undefined && changes.restartPolicy === undefined;
    return this.change(meta, ref, changes, inPlace ? undefined : 'container.update', {
      decide: (state, operation) => updateContainer(state, changes, operation, meta.ifMatch),
      before: (state, context) => this.roomFor(state, changes, context),
    });
  }

  /** Takes the room that it will need before the change is told; what is taken for nothing the next look gives back. */
  private async roomFor(state: ContainerState, changes: ContainerChanges, context: EventContext): Promise<void> {
    const { declared, contents, nodeId } = state;
    const capacity = this.models.nodes.get(nodeId ?? '')?.result?.capacity;
    if (!declared || !contents || !capacity || !changes.resources) return;
    const { cpus = 0, memoryMb = 0 } = changedContents(contents, changes).resources;
    const room = { cpus, memoryMb };
    await this.models.placement.append(
      declared.clusterId,
      placement => {
        const decision = decideClusterPlacement(
          { type: 'Resize', containerId: declared.id, room, capacity },
          placement,
        );
        if (!decision.ok) throw new RefusedError({ code: 'no-room', kind: 'capacity', detail: decision.detail });
        return decision.events;
      },
      context,
    );
  }

  remove(meta: RequestMeta, ref: string): Answer {
    return this.change(meta, ref, { delete: true }, 'container.delete', {
      decide: (state, operation) =>
        deleteContainer(state, { operationId: operation.id, operation, reason: 'deleted by request' }, meta.ifMatch),
    });
  }

  /** Undoes a creation under way. Answers the position of what it appended. */
  async cancel(meta: RequestMeta, containerId: string, operationId: string): Promise<number | undefined> {
    const { state } = await this.models.containers.load(containerId);
    const { projectId, clusterId } = state.declared ?? { projectId: '', clusterId: '' };
    const context = requestContext(meta, { operationId, requestId: operationId }, projectId, clusterId);
    const decide = (s: ContainerState): Decision<ContainerEvent> => cancelContainerOperation(s, operationId);
    return (await this.models.containers.execute(containerId, decide, context)).position;
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
    const refusal = refusesWork(target);
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

  private async change(
    meta: RequestMeta,
    ref: string,
    body: unknown,
    kind: string | undefined,
    { decide, before }: Change,
  ): Answer {
    const { containers } = this.models;
    const fresh = this.runtime.newIds();
    const container: Named<ContainerState> = await this.find.container(meta, ref, true);
    const start = (ids: RequestIds): OperationStart => ({ id: ids.operationId, kind: kind ?? '', total: 1 });
    const check = async (): Promise<void> => {
      const decision = decide((await containers.load(container.id)).state, start(fresh));
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const shown = kind === undefined ? undefined : ids.operationId;
      const done = repeat ? await containers.asAccepted(container.id, ids.requestId) : undefined;
      if (done) return answer(done.state, shown, done.position);
      const { projectId, clusterId } = container.state.declared ?? { projectId: '', clusterId: '' };
      const known = kind === undefined ? { requestId: ids.requestId } : ids;
      const context = requestContext(meta, known, projectId, clusterId);
      await before?.((await containers.load(container.id)).state, context);
      const { state, position } = await containers.execute(container.id, s => decide(s, start(ids)), context);
      return answer(state, position === undefined ? undefined : shown, position);
    });
  }
}

function given(hosts: { hostNode: string | undefined; hostCluster: string | undefined }): ContainerHosts {
  const { hostNode, hostCluster } = hosts;
  return { ...(hostNode === undefined ? {} : { hostNode }), ...(hostCluster === undefined ? {} : { hostCluster }) };
}

function answer(
  state: ContainerState,
  operationId: string | undefined,
  position: number | undefined,
): Positioned<CommandResult> {
  const resource = containerFields(state);
  return new Positioned({ resource, ...(operationId === undefined ? {} : { operationId }) }, position);
}
