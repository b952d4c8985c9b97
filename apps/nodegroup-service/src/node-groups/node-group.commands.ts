import { Injectable } from '@nestjs/common';
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
  RequestLedger,
  ResourceCommands,
  RingFollower,
  unknownAction,
  type OperationRecord,
  type ReplyWithPosition,
  type ResourceScope,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { checkPatch, groupDefaultsIn } from './node-group-patch.js';
import { NodeGroupCreation } from './node-group.creation.js';
import { nodeGroupFields } from './node-group.document.js';
import type { NodeGroupInput } from './resolve-node-group-request.js';

type Reply = Promise<ReplyWithPosition<CommandResult>>;
type Begin = { readonly id: string; readonly kind: string };

/** A node group as a request names it: by id or name, where `clusterId` is given in that cluster. */
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

/** Returns the project and the cluster of a node group or node. */
export const scopeOf = ({ declared }: Pick<NodeGroupState | NodeState, 'declared'>): ResourceScope => ({
  projectId: declared?.projectId ?? '',
  clusterId: declared?.clusterId ?? '',
});

/** Commands on node groups; each answers with the group as accepted. */
@Injectable()
export class NodeGroupCommands {
  private readonly commands: ResourceCommands<NodeGroupState>;

  constructor(
    ledger: RequestLedger,
    private readonly ring: RingFollower,
    private readonly projection: FleetProjection,
    private readonly lookup: FleetLookup,
    private readonly creation: NodeGroupCreation,
  ) {
    this.commands = new ResourceCommands(ledger, { model: projection.groups, scope: scopeOf, show: nodeGroupFields });
  }

  create(meta: RequestMeta, body: NodeGroupInput): Reply {
    return this.creation.run(meta, body);
  }

  /** Throws RefusedError `unknown-action`. */
  async action(meta: RequestMeta, ref: GroupRef, body: GroupActionBody): Reply {
    const { ifMatch } = meta;
    switch (body.action) {
      case 'resize':
        return this.resize(meta, ref, body);
      case 'rebuild':
        return this.begin(meta, ref, body, (state, operation) => rebuildNodeGroup(state, { operation, ifMatch }));
      case 'reboot':
        return this.begin(meta, ref, body, (state, operation) =>
          rebootNodeGroup(state, { operation, type: body.type ?? 'soft', ifMatch }),
        );
      case 'retry':
        return this.begin(meta, ref, body, (state, operation) => retryNodeGroup(state, { operation, ifMatch }));
      default:
        throw unknownAction('node groups', body.action);
    }
  }

  /** Reports every problem of the patch at once (422). A change of the count alone is a resize. */
  async patch(meta: RequestMeta, ref: GroupRef, patch: NodeGroupPatch): Reply {
    const { count, ...others } = patch;
    if (count !== undefined && Object.keys(others).length === 0)
      return this.resize(meta, ref, { action: 'resize', count });
    const { projection } = this;
    const ring = this.ring.view;
    const changes = (state: NodeGroupState) =>
      state.spec ? groupChanges(state.spec, patch, groupDefaultsIn(ring, projection, state)) : {};
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
        checkPatch({ ring, projection }, state, changes(state), decide(state, operationId));
      },
      decide: (state, { operationId }) => decide(state, operationId),
    });
  }

  async remove(meta: RequestMeta, ref: GroupRef, force: boolean): Reply {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { delete: true, ...(force ? { force } : {}) },
      starts: true,
      check: ({ declared }) => this.lookup.requireAccepting(declared?.clusterId, 'removal'),
      decide: (state, { operationId: id }) => {
        const operation = { id, kind: 'node-group.delete', total: state.members.size };
        return deleteNodeGroup(state, { operationId: id, operation, ifMatch: meta.ifMatch, force });
      },
    });
  }

  /** Removes what the operation has created, and ends its rollout. Resolves to the position of the last event appended. */
  async cancel(meta: RequestMeta, { id, target }: OperationRecord): Promise<number | undefined> {
    const reply = await this.commands.change(meta, {
      find: () => Promise.resolve(target.id),
      body: { cancel: id },
      starts: false,
      partOf: id,
      decide: state => cancelNodeGroupOperation(state, id),
    });
    return reply.position;
  }

  private resize(meta: RequestMeta, ref: GroupRef, { count, change }: GroupActionBody): Reply {
    const body = { ...(count === undefined ? {} : { count }), ...(change === undefined ? {} : { change }) };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body,
      starts: true,
      check: ({ declared }) => this.lookup.requireAccepting(declared?.clusterId),
      decide: (state, { operationId: id }) => {
        const now = state.spec?.count ?? 0;
        const wanted = wantedCount(now, body);
        const operation = { id, kind: 'node-group.resize', total: Math.abs(wanted - now) };
        return resizeNodeGroup(state, { count: wanted, operation, ifMatch: meta.ifMatch });
      },
    });
  }

  private begin(
    meta: RequestMeta,
    ref: GroupRef,
    { action, type }: GroupActionBody,
    decide: (state: NodeGroupState, operation: Begin) => Decision<NodeGroupEvent>,
  ): Reply {
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: { action, ...(type === undefined ? {} : { type }) },
      starts: true,
      check: ({ declared }) => this.lookup.requireAccepting(declared?.clusterId),
      decide: (state, { operationId: id }) => decide(state, { id, kind: `node-group.${action}` }),
    });
  }

  private target(meta: RequestMeta, { id, clusterId }: GroupRef): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.lookup.group(meta, id, clusterId)).id };
  }
}

/** Returns the count that `{count}` gives, or `{change}` by a number or a percentage (rounded away from zero). */
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
