import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  adjustmentOf,
  changedSetSpec,
  createContainerSet,
  deleteContainerSet,
  isAutoscaled,
  pauseRollout,
  rebalanceContainerSet,
  resizeContainerSet,
  restartContainerSet,
  resumeRollout,
  retryContainerSet,
  revisionOf,
  rollContainerSet,
  scaleContainerSet,
  scalingPolicyOf,
  updateContainerSet,
  omitUndefined,
  type ContainerSetEvent,
  type ContainerSetState,
  type Decision,
  type ScalingDirection,
  type SetSource,
} from '@stave/domain';
import {
  PolicyProjection,
  requireCountOrChange,
  unknownAction,
  type CommandReply,
  type ResourceCommands,
} from '@stave/service-kit';
import { requireNoExactPolicy } from '../policies/exact-scaling.js';
import { effectivePoliciesOf } from '../policies/placement-policy.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import {
  ContainerSetRequests,
  setChanges,
  type ContainerSetInput,
  type ContainerSetPatch,
} from './container-set-request.js';
import { nameOf } from './requester.js';
import { containerSetResource } from './container-set.resource.js';
import { SetBalance } from './set-balance.js';

const on = (verb: string): string => commandSubject('container-scheduler', 'container-set', verb);

interface Ref {
  readonly id: string;
}

interface SetActionBody extends Ref {
  readonly action: string;
  readonly count?: number;
  readonly change?: number | string;
  readonly minStep?: number;
  readonly bestEffort?: boolean;
  readonly direction?: ScalingDirection;
  readonly profile?: string;
}

type Decide = (state: ContainerSetState, operationId: string) => Decision<ContainerSetEvent>;
type Check = (state: ContainerSetState) => void | Promise<void>;

/** Commands on container sets; each answers with the set as accepted. */
@Controller()
export class ContainerSetController {
  constructor(
    @Inject(containerSetResource.commands) private readonly commands: ResourceCommands<ContainerSetState>,
    private readonly lookup: SchedulerLookup,
    private readonly requests: ContainerSetRequests,
    private readonly balance: SetBalance,
    private readonly policies: PolicyProjection,
  ) {}

  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<ContainerSetInput>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: async ({ resourceId: id, operationId }) => {
        const profile = await this.requests.profile(meta, body.profile);
        const cluster = this.requests.clusterOf(profile);
        const source = this.requests.sourceOf(profile, await this.requests.overrides(meta, body.overrides ?? {}));
        this.requests.requireAllowed(cluster.state, source);
        const spec = this.requests.specOf(body);
        const name = body.name ?? `${profile.state.created.name.slice(0, 50)}-${id.slice(-8)}`;
        const operation = { id: operationId, kind: 'container-set.create', total: spec.desired };
        const { projectId } = cluster.state.created;
        return { id, name, projectId, clusterId: cluster.id, spec, source, operation };
      },
      scope: ({ projectId, clusterId }) => ({ projectId, clusterId }),
      before: (set, context) => this.lookup.setNames.reserve(set, context),
      beforeIsAhead: true,
      decide: createContainerSet,
    });
  }

  @MessagePattern(on('patch'))
  patch({ meta, body: { id, patch } }: ServiceRequest<Ref & { readonly patch: ContainerSetPatch }>) {
    const { profile, overrides } = patch;
    const rolls = profile !== undefined || overrides !== undefined;
    let source: SetSource | undefined;
    return this.commands.change(meta, {
      find: () => this.lookup.set(meta, id),
      body: patch,
      starts: true,
      check: async state => {
        if (rolls || patch.desired !== undefined) this.requests.requireAccepting(state.declared.clusterId);
        if (isAutoscaled(changedSetSpec(state.spec, setChanges(state.spec, patch))) && patch.autoscaling)
          requireNoExactPolicy(effectivePoliciesOf(this.policies, state));
        if (rolls) source = await this.requests.changedSource(meta, state, patch);
      },
      decide: (state, { operationId }) =>
        updateContainerSet(state, {
          changes: setChanges(state.spec, patch),
          operationId,
          by: nameOf(meta),
          ...omitUndefined({ source, ifMatch: meta.ifMatch }),
        }),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body: { id: ref } }: ServiceRequest<Ref>): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.set(meta, ref),
      body: { delete: true },
      starts: true,
      decide: (state, { operationId: id }) => {
        const operation = { id, kind: 'container-set.delete', total: state.members.size };
        return deleteContainerSet(state, { operationId: id, operation, ifMatch: meta.ifMatch });
      },
    });
  }

  /** Throws RefusedError `unknown-action`, `catching-up`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<SetActionBody>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const { action, direction = 'out', count } = body;
    switch (action) {
      case 'resize':
        return this.resize(meta, body);
      case 'scale': {
        // attachments and policies are in other streams than the set: what was acknowledged before is seen
        if (count === undefined) await this.lookup.caughtUp();
        const now = new Date().toISOString();
        return this.act(meta, body, (set, operationId) => {
          const policy = scalingPolicyOf(effectivePoliciesOf(this.policies, set), direction);
          const scaling = {
            direction,
            now,
            ifMatch,
            operationId,
            by: nameOf(meta),
            ...omitUndefined({ count, policy }),
          };
          return scaleContainerSet(set, scaling);
        });
      }
      case 'roll':
        return this.roll(meta, body);
      case 'restart':
        return this.act(meta, body, (set, operationId) => restartContainerSet(set, { operationId, ifMatch }));
      case 'rebalance':
        return this.act(meta, body, (set, operationId) =>
          rebalanceContainerSet(set, { memberIds: this.balance.membersToMove(set), operationId, ifMatch }),
        );
      case 'pause':
        return this.act(meta, body, set => pauseRollout(set, ifMatch));
      case 'resume':
        return this.act(meta, body, (set, operationId) => resumeRollout(set, { operationId, ifMatch }));
      case 'retry':
        return this.act(meta, body, (set, id) => {
          const operation = { id, kind: 'container-set.retry', total: set.spec.desired };
          return retryContainerSet(set, { operation, ifMatch });
        });
      default:
        throw unknownAction('container sets', action);
    }
  }

  /** Throws RefusedError `invalid` unless exactly one of `count` and `change` is given. */
  private resize(meta: RequestMeta, body: SetActionBody): Promise<CommandReply> {
    const { count, change, minStep, bestEffort } = body;
    requireCountOrChange(body);
    const given = omitUndefined({ count, change });
    const adjustment = adjustmentOf(given, omitUndefined({ minStep, bestEffort }));
    return this.act(meta, body, (set, operationId) =>
      resizeContainerSet(set, { adjustment, operationId, by: nameOf(meta), ifMatch: meta.ifMatch }),
    );
  }

  /** Rolls to the present revision of the profile of the set, or of another one. */
  private roll(meta: RequestMeta, body: SetActionBody): Promise<CommandReply> {
    let source: SetSource | undefined;
    return this.act(
      meta,
      body,
      (set, operationId) =>
        rollContainerSet(set, { source: source ?? currentSource(set), operationId, ifMatch: meta.ifMatch }),
      async set => {
        const profile = body.profile ?? revisionOf(set).profileId;
        source = await this.requests.changedSource(meta, set, { profile });
      },
    );
  }

  private act(meta: RequestMeta, { id: ref, ...body }: SetActionBody, decide: Decide, check?: Check) {
    return this.commands.change(meta, {
      find: () => this.lookup.set(meta, ref),
      body,
      starts: true,
      check: async (state: ContainerSetState) => {
        if (body.action !== 'pause') this.requests.requireAccepting(state.declared.clusterId);
        await check?.(state);
      },
      decide: (state: ContainerSetState, { operationId }) => decide(state, operationId),
    });
  }
}

function currentSource(set: ContainerSetState): SetSource {
  const { revision: _number, ...source } = revisionOf(set);
  return source;
}
