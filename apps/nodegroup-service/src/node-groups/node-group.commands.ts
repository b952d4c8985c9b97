import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  brokenRules,
  cancelNodeGroupOperation,
  deleteNodeGroup,
  groupChanges,
  rebootNodeGroup,
  rebuildNodeGroup,
  resizeNodeGroup,
  retryNodeGroup,
  updateNodeGroup,
  type Decision,
  type NodeGroupEvent,
  type NodeGroupPatch,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import {
  ResourceCommands,
  type ResourceScope,
  type OperationRecord,
  type ReplyWithPosition,
  type ServiceRuntime,
} from '@stave/service-kit';
import { shownGroup } from './node-group.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import { clusterTakesWork } from './require-accepting-cluster.js';
import type { ResourceLookup } from '../resource-lookup.js';
import type { NodeGroupCreation } from './node-group.creation.js';
import type { NodeGroupInput } from './resolve-node-group-request.js';
import { checkPatch, groupDefaultsIn } from './node-group-patch.js';

export type Answer = Promise<ReplyWithPosition<CommandResult>>;
type Begin = { readonly id: string; readonly kind: string };

/** Which group, as the request names it. */
export interface GroupRef {
  readonly id: string;
  readonly clusterId?: string;
}

export interface GroupActionBody {
  readonly action: string;
  readonly count?: number;
  readonly change?: number | string;
  readonly type?: 'soft' | 'hard';
}

/** Where groups and nodes belong. */
export const scopeOfResource = ({ declared }: Pick<NodeGroupState | NodeState, 'declared'>): ResourceScope => ({
  projectId: declared?.projectId ?? '',
  clusterId: declared?.clusterId ?? '',
});

/** Commands on node groups; each answers with the group as accepted. */
export class NodeGroupCommands {
  private readonly commands: ResourceCommands<NodeGroupState>;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: ResourceLookup,
    private readonly creation: NodeGroupCreation,
  ) {
    this.commands = new ResourceCommands(runtime.ledger, {
      model: models.groups,
      home: scopeOfResource,
      show: shownGroup,
    });
  }

  create(meta: RequestMeta, body: NodeGroupInput): Answer {
    return this.creation.run(meta, body);
  }

  /** Throws RefusedError `unknown-action`. */
  async action(meta: RequestMeta, ref: GroupRef, body: GroupActionBody): Answer {
    const { ifMatch } = meta;
    switch (body.action) {
      case 'resize':
        return this.resize(meta, ref, body);
      case 'rebuild':
        return this.begin(meta, ref, body, (state, operation) => rebuildNodeGroup(state, operation, ifMatch));
      case 'reboot':
        return this.begin(meta, ref, body, (state, operation) =>
          rebootNodeGroup(state, operation, body.type ?? 'soft', ifMatch),
        );
      case 'retry':
        return this.begin(meta, ref, body, (state, operation) => retryNodeGroup(state, operation, ifMatch));
      default:
        throw new RefusedError({
          code: 'unknown-action',
          kind: 'not-found',
          detail: `node groups have no action ${body.action}`,
        });
    }
  }

  /** Everything that is wrong is told at once (422). A change of the count alone is a resize. */
  async patch(meta: RequestMeta, ref: GroupRef, patch: NodeGroupPatch): Answer {
    const { count, ...others } = patch;
    if (count !== undefined && Object.keys(others).length === 0)
      return this.resize(meta, ref, { action: 'resize', count });
    const { models, runtime } = this;
    const changes = (state: NodeGroupState) =>
      state.spec ? groupChanges(state.spec, patch, groupDefaultsIn(runtime.ring.view, models, state)) : {};
    const decide = (state: NodeGroupState, operationId: string) =>
      updateNodeGroup(state, changes(state), {
        operationId,
        ...(meta.ifMatch === undefined ? {} : { ifMatch: meta.ifMatch }),
      });
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: patch,
      starts: true,
      check: (state, { operationId }) => {
        checkPatch({ ring: runtime.ring.view, models }, state, changes(state), decide(state, operationId));
      },
      decide: (state, { operationId }) => decide(state, operationId),
    });
  }

  async remove(meta: RequestMeta, ref: GroupRef, force: boolean): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { delete: true, ...(force ? { force } : {}) },
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId, true),
      decide: (state, { operationId: id }) => {
        const operation = { id, kind: 'node-group.delete', total: state.members.size };
        return deleteNodeGroup(state, id, operation, meta.ifMatch, force);
      },
    });
  }

  /** What the operation was making is removed again, what goes step by step stops. Answers the position of what was appended. */
  async cancel(meta: RequestMeta, operation: OperationRecord): Promise<number | undefined> {
    const { id, type } = operation.target;
    if (type !== 'nodeGroup')
      throw new RefusedError({
        code: 'not-cancellable',
        kind: 'conflict',
        detail: `a ${operation.kind} cannot be cancelled`,
      });
    const answer = await this.commands.change(meta, {
      find: () => Promise.resolve(id),
      body: { cancel: operation.id },
      starts: false,
      partOf: operation.id,
      decide: s => cancelNodeGroupOperation(s, operation.id),
    });
    return answer.position;
  }

  private resize(meta: RequestMeta, ref: GroupRef, { count, change }: GroupActionBody): Answer {
    const body = { ...(count === undefined ? {} : { count }), ...(change === undefined ? {} : { change }) };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body,
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId),
      decide: (state, { operationId: id }) => {
        const now = state.spec?.count ?? 0;
        const wanted = wantedCount(now, body);
        const operation = { id, kind: 'node-group.resize', total: Math.abs(wanted - now) };
        return resizeNodeGroup(state, wanted, operation, meta.ifMatch);
      },
    });
  }

  private begin(
    meta: RequestMeta,
    ref: GroupRef,
    { action, type }: GroupActionBody,
    decide: (state: NodeGroupState, operation: Begin) => Decision<NodeGroupEvent>,
  ): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { action, ...(type === undefined ? {} : { type }) },
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId),
      decide: (state, { operationId: id }) => decide(state, { id, kind: `node-group.${action}` }),
    });
  }

  private target(meta: RequestMeta, { id, clusterId }: GroupRef): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.find.group(meta, id, clusterId)).id };
  }
}

/** `{count}`, or `{change}` by a number or a percentage (rounded away from zero). */
function wantedCount(count: number, body: Pick<GroupActionBody, 'count' | 'change'>): number {
  if (body.count !== undefined) return body.count;
  const { change } = body;
  const percent = typeof change === 'string' ? /^([+-]?\d+(?:\.\d+)?)%$/.exec(change)?.[1] : undefined;
  const exact = percent === undefined ? Number(change) : (count * Number(percent)) / 100;
  const by = Math.sign(exact) * Math.ceil(Math.abs(exact));
  const wanted = count + by;
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= 10_000) return wanted;
  throw new RefusedError(
    brokenRules([{ pointer: '/change', code: 'invalid-count', detail: 'the count would not be between 0 and 10000' }]),
  );
}
