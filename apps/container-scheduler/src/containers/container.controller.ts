import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ServiceRequest } from '@stave/contracts';
import {
  actOnContainer,
  brokenRules,
  changedContents,
  CONTAINER_RETRY,
  createContainer,
  decideClusterPlacement,
  deleteContainer,
  moveContainer,
  refuse,
  retryContainer,
  updateContainer,
  type ContainerChanges,
  type ContainerState,
  type OperationStart,
} from '@stave/domain';
import {
  unknownAction,
  type CommandReply,
  type EventContext,
  type RequestIds,
  type ResourceCommands,
} from '@stave/service-kit';
import { withOwnSetIds } from '../policies/named-sets.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ContainerCalls } from './container-calls.js';
import { ContainerCreation, type ContainerInput } from './container-creation.js';
import { containerResource } from './container.resource.js';
import { MemberRemoval } from './member-removal.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'container', verb);

interface Ref {
  readonly id: string;
}

interface ContainerRemoval extends Ref {
  readonly reduceDesired?: boolean;
}

interface LogRequest extends Ref {
  readonly tail?: number;
}

/** Commands on containers; each answers with the container as accepted. */
@Controller()
export class ContainerController {
  constructor(
    @Inject(containerResource.commands) private readonly commands: ResourceCommands<ContainerState>,
    private readonly projection: SchedulerProjection,
    private readonly lookup: SchedulerLookup,
    private readonly calls: ContainerCalls,
    private readonly members: MemberRemoval,
    private readonly creation: ContainerCreation,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ContainerInput>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => this.creation.resolve(meta, body, ids),
      scope: ({ declaration: { projectId, clusterId } }) => ({ projectId, clusterId }),
      also: resolved => this.creation.also(resolved),
      before: (resolved, context) => this.creation.prepare(meta, resolved, context),
      decide: ({ declaration, node }) => createContainer(declaration, node),
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id: ref, patch } }: ServiceRequest<Ref & { readonly patch: ContainerChanges }>) {
    let changes = patch;
    return this.commands.change(meta, {
      find: () => this.lookup.container(meta, ref),
      body: patch,
      starts: Object.keys(patch).some(member => member !== 'labels'),
      check: async () => void (changes = await withOwnSetIds(this.lookup, meta, patch)),
      decide: (state, ids) =>
        updateContainer(state, { changes, operation: start('container.update', ids), ifMatch: meta.ifMatch }),
      before: (state, context) => this.reserve(state, patch, context),
    });
  }

  @MessagePattern(on('delete'))
  async remove({ meta, body }: ServiceRequest<ContainerRemoval>): Promise<CommandReply> {
    const { id: ref, reduceDesired } = body;
    if (await this.members.isMember(meta, ref)) return this.members.remove(meta, ref, reduceDesired === true);
    if (reduceDesired !== undefined) throw new RefusedError(notInSet);
    return this.commands.change(meta, {
      find: () => this.lookup.container(meta, ref),
      body: { delete: true },
      starts: true,
      decide: (state, ids) => {
        const operation = start('container.delete', ids);
        const reason = 'deleted by request';
        return deleteContainer(state, { operationId: operation.id, operation, reason, ifMatch: meta.ifMatch });
      },
    });
  }

  /** Throws RefusedError `unknown-action`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<Ref & { readonly action: string }>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const { id: ref, action } = body;
    if (action === 'release' || action === 'abort') return this.members.endRelease(meta, ref, action);
    if (!isAction(action)) throw unknownAction('containers', action);
    if (action === 'move' && (await this.members.isMember(meta, ref))) return this.members.move(meta, ref);
    return this.commands.change(meta, {
      find: () => this.lookup.container(meta, ref),
      body,
      starts: true,
      decide: (state, ids) => {
        if (action === 'retry') return retryContainer(state, { operation: start(CONTAINER_RETRY, ids), ifMatch });
        const operation = start(`container.${action}`, ids);
        return action === 'move'
          ? moveContainer(state, { operation, ifMatch })
          : actOnContainer(state, { action, operation, ifMatch });
      },
    });
  }

  @MessagePattern(on('logs'))
  logs({ meta, body }: ServiceRequest<LogRequest>): Promise<unknown> {
    return this.calls.logs(meta, body.id, body.tail);
  }

  @MessagePattern(on('follow-logs'))
  followLogs({ meta, body }: ServiceRequest<LogRequest>): Promise<unknown> {
    return this.calls.followLogs(meta, body.id, body.tail);
  }

  @MessagePattern(on('stats'))
  stats({ meta, body }: ServiceRequest<Ref & { readonly window?: number }>): Promise<unknown> {
    return body.window === undefined
      ? this.calls.stats(meta, body.id)
      : this.calls.statsOver(meta, body.id, body.window * 1000);
  }

  /** Reserves the resources that the change needs before it is accepted. The reconciler releases what is not used. */
  private async reserve(state: ContainerState, changes: ContainerChanges, context: EventContext): Promise<void> {
    const { declared, contents, nodeId } = state;
    const { engineReservations, nodes, placement } = this.projection;
    const built = nodes.get(nodeId ?? '')?.result?.capacity;
    if (!built || !changes.resources) return;
    const capacity = engineReservations.leftOf(nodeId ?? '', built);
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
}

const ACTIONS = ['retry', 'start', 'stop', 'restart', 'move'] as const;
const isAction = (name: string): name is (typeof ACTIONS)[number] => ACTIONS.some(action => action === name);

const start = (kind: string, { operationId: id }: RequestIds): OperationStart => ({ id, kind, total: 1 });

const notInSet = brokenRules([
  { pointer: '?reduceDesired', code: 'not-in-set', detail: 'the container is not a member of a set' },
]);
