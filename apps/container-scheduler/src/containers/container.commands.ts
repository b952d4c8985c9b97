import { Injectable } from '@nestjs/common';
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
  omitUndefined,
  refuse,
  clusterWorkRefusal,
  retryContainer,
  updateContainer,
  type ContainerChanges,
  type ContainerDeclaration,
  type PlacementTarget,
  type ContainerState,
  type TargetNode,
  type OperationStart,
} from '@stave/domain';
import {
  ReplyWithPosition,
  requestContext,
  RequestLedger,
  ResourceCommands,
  unknownAction,
  type EventContext,
  type RequestIds,
  type ResourceScope,
} from '@stave/service-kit';
import { contentsOf, type ContentsInput } from '../profiles/container-contents.js';
import { resolvePlacementTarget } from '../profiles/placement-target.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ContainerNames } from './container-names.js';
import { containerFields } from './container.document.js';

export interface ContainerInput extends ContentsInput, PlacementTarget {
  readonly profile?: string;
  readonly name?: string;
  /** Aliases of hostCluster and hostNode. */
  readonly cluster?: string;
  readonly node?: string;
}

type Reply = Promise<ReplyWithPosition<CommandResult>>;

const required = (pointer: string): RefusedError => {
  const detail = 'a container profile is required';
  return new RefusedError({
    code: 'required',
    kind: 'invalid',
    detail,
    errors: [{ pointer, code: 'required', detail }],
  });
};

/** Commands on containers; each answers with the container as accepted. */
@Injectable()
export class ContainerCommands {
  private readonly commands: ResourceCommands<ContainerState>;

  constructor(
    private readonly ledger: RequestLedger,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly names: ContainerNames,
  ) {
    this.commands = new ResourceCommands(ledger, { model: projection.containers, scope, show: containerFields });
  }

  async create(meta: RequestMeta, body: ContainerInput): Reply {
    const { containers } = this.projection;
    const newIds = this.ledger.newIds(meta);
    const check = async (): Promise<void> => void (await this.declare(meta, body, newIds));
    return this.ledger.run(meta, body, newIds, check, async ids => {
      const done = await containers.asAccepted(ids.resourceId, ids.requestId);
      if (done) return created(done.state, ids, done.position);
      const { declaration, node } = await this.declare(meta, body, ids);
      const { id, name, projectId, clusterId } = declaration;
      const context = requestContext(meta, ids, projectId, clusterId);
      await this.names.reserve(projectId, name, id, context);
      const { state, position } = await containers.execute(id, s => createContainer(s, declaration, node), context);
      return created(state, ids, position);
    });
  }

  action(meta: RequestMeta, ref: string, action: string, body: unknown): Reply {
    if (action === 'retry')
      return this.commands.change(meta, {
        ...this.target(meta, ref),
        body,
        starts: true,
        decide: (state, ids) =>
          retryContainer(state, { operation: start(CONTAINER_RETRY, ids), ifMatch: meta.ifMatch }),
      });
    if (action !== 'start' && action !== 'stop' && action !== 'restart') throw unknownAction('containers', action);
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body,
      starts: true,
      decide: (state, ids) =>
        actOnContainer(state, { action, operation: start(`container.${action}`, ids), ifMatch: meta.ifMatch }),
    });
  }

  patch(meta: RequestMeta, ref: string, changes: ContainerChanges): Reply {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: changes,
      starts: changes.resources !== undefined || changes.restartPolicy !== undefined,
      decide: (state, ids) =>
        updateContainer(state, { changes, operation: start('container.update', ids), ifMatch: meta.ifMatch }),
      before: (state, context) => this.reserve(state, changes, context),
    });
  }

  /** Reserves the resources that the change needs before it is accepted. The reconciler releases what is not used. */
  private async reserve(state: ContainerState, changes: ContainerChanges, context: EventContext): Promise<void> {
    const { declared, contents, nodeId } = state;
    const { nodes, placement } = this.projection;
    const capacity = nodes.get(nodeId ?? '')?.result?.capacity;
    if (!declared || !contents || !capacity || !changes.resources) return;
    const { cpus = 0, memoryMb = 0 } = changedContents(contents, changes).resources;
    const resize = { type: 'Resize', containerId: declared.id, resources: { cpus, memoryMb }, capacity } as const;
    await placement.append(
      declared.clusterId,
      reservations => {
        const decision = decideClusterPlacement(resize, reservations);
        return decision.ok ? decision : refuse({ ...decision.refusal, code: 'insufficient-resources' });
      },
      context,
    );
  }

  remove(meta: RequestMeta, ref: string): Reply {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { delete: true },
      starts: true,
      decide: (state, ids) => {
        const operation = start('container.delete', ids);
        return deleteContainer(state, {
          operationId: operation.id,
          operation,
          reason: 'deleted by request',
          ifMatch: meta.ifMatch,
        });
      },
    });
  }

  /** Cancels a creation: the container is deleted. Resolves to the position of the last event appended. */
  async cancel(meta: RequestMeta, containerId: string, operationId: string): Promise<number | undefined> {
    const reply = await this.commands.change(meta, {
      find: () => Promise.resolve(containerId),
      body: { cancel: operationId },
      starts: false,
      partOf: operationId,
      decide: state => cancelContainerOperation(state, operationId),
    });
    return reply.position;
  }

  private target(meta: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.lookup.container(meta, ref)).id };
  }

  /** Resolves every reference of the request. Throws RefusedError. */
  private async declare(
    meta: RequestMeta,
    body: ContainerInput,
    ids: RequestIds,
  ): Promise<{ readonly declaration: ContainerDeclaration; readonly node?: TargetNode }> {
    const { profile: ref, name, cluster, node: nodeRef, hostCluster, hostNode, ...overrides } = body;
    if (ref === undefined) throw required('/profile');
    const profile = await this.lookup.profile(meta, ref);
    const { spec, created } = profile.state;
    if (!spec || !created) throw new RefusedError(notFound('the container profile'));
    const wanted = {
      hostNode: hostNode ?? nodeRef ?? spec.hostNode,
      hostCluster: hostCluster ?? cluster ?? spec.hostCluster,
    };
    const { hosts, node } = await resolvePlacementTarget(this.lookup, meta, omitUndefined(wanted));
    const clusterId = hosts.hostCluster ?? node?.clusterId ?? '';
    const target = this.projection.clusters.get(clusterId);
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

const scope = ({ declared }: ContainerState): ResourceScope => ({
  projectId: declared?.projectId ?? '',
  clusterId: declared?.clusterId ?? '',
});

const start = (kind: string, { operationId: id }: RequestIds): OperationStart => ({ id, kind, total: 1 });

const created = (
  state: ContainerState,
  { operationId }: RequestIds,
  position: number | undefined,
): ReplyWithPosition<CommandResult> =>
  new ReplyWithPosition({ resource: containerFields(state), operationId }, position);
