import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  adjustmentOf,
  createNodeGroup,
  deleteNodeGroup,
  groupChanges,
  omitUndefined,
  rebootNodeGroup,
  rebuildNodeGroup,
  resizeNodeGroup,
  resizeNodeGroupBy,
  retryNodeGroup,
  scaleNodeGroup,
  updateNodeGroup,
  type Decision,
  type NodeGroupEvent,
  type NodeGroupPatch,
  type NodeGroupState,
  type ScalingDirection,
} from '@stave/domain';
import {
  requireCountOrChange,
  RingFollower,
  unknownAction,
  type CommandReply,
  type ResourceCommands,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { checkPatch, groupDefaultsIn, rollingOptionsIn } from './node-group-patch.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import { nodeGroupResource } from './node-group.resource.js';
import { NodeGroupRequestResolver, type NodeGroupInput } from './resolve-node-group-request.js';

const on = (verb: string): string => commandSubject('nodegroup-service', 'node-group', verb);

/** A node group as a request names it: by id or name, where `clusterId` is given in that cluster. */
interface GroupRef {
  readonly id: string;
  readonly clusterId?: string;
}

interface GroupActionBody {
  readonly action: string;
  readonly count?: number;
  readonly change?: number | string;
  readonly minStep?: number;
  readonly bestEffort?: boolean;
  readonly direction?: ScalingDirection;
  readonly type?: 'soft' | 'hard';
  readonly discardVolumes?: boolean;
}

interface GroupRemoval {
  readonly force?: boolean;
  readonly discardVolumes?: boolean;
}

interface Begin {
  readonly id: string;
  readonly kind: string;
}

/** Commands on node groups; each answers with the group as accepted. */
@Controller()
export class NodeGroupController {
  constructor(
    @Inject(nodeGroupResource.commands) private readonly commands: ResourceCommands<NodeGroupState>,
    private readonly projection: FleetProjection,
    private readonly lookup: FleetLookup,
    private readonly registry: NodeGroupRegistry,
    private readonly requests: NodeGroupRequestResolver,
    private readonly ring: RingFollower,
  ) {}

  /** Creates a node group in an existing cluster: from attributes, a template, another group, or a mix. */
  @MessagePattern(on('create'))
  create({ meta, body }: ServiceRequest<NodeGroupInput>): Promise<CommandReply> {
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => this.requests.resolve(meta, body, ids),
      stored: ({ group }) => (body.from ? group : undefined),
      scope: ({ cluster: { id: clusterId, projectId } }) => ({ clusterId, projectId }),
      before: ({ cluster: { id, state }, group }, context) => this.registry.register(id, state, group, context),
      decide: ({ cluster: { id: clusterId, projectId }, group }, { operationId }) => {
        const operation = { id: operationId, kind: 'node-group.create', total: group.spec.count };
        return createNodeGroup({ ...group, clusterId, projectId, operationId, operation });
      },
    });
  }

  /** Reports every problem of the patch at once (422). A change of the count alone is a resize. */
  @MessagePattern(on('patch'))
  patch({ meta, body }: ServiceRequest<GroupRef & { readonly patch: NodeGroupPatch }>): Promise<CommandReply> {
    const { patch } = body;
    const { count, ...others } = patch;
    if (count !== undefined && Object.keys(others).length === 0) return this.setCount(meta, body, count);
    const { projection } = this;
    const ring = this.ring.view;
    const changes = (state: NodeGroupState) =>
      groupChanges(state.spec, patch, groupDefaultsIn(ring, projection, state));
    const decide = (state: NodeGroupState, operationId: string) => {
      const changed = changes(state);
      const rollingOptions = changed.options && rollingOptionsIn(ring, projection, state, changed);
      return updateNodeGroup(state, changed, {
        operationId,
        ...omitUndefined({ ifMatch: meta.ifMatch, rollingOptions }),
      });
    };
    return this.commands.change(meta, {
      find: () => this.lookup.groupToChange(meta, body.id, body.clusterId),
      body: patch,
      starts: true,
      check: (state, { operationId }) =>
        checkPatch({ ring, projection }, state, changes(state), decide(state, operationId)),
      decide: (state, { operationId }) => decide(state, operationId),
    });
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<GroupRef & GroupRemoval>): Promise<CommandReply> {
    const { force = false, discardVolumes } = body;
    return this.commands.change(meta, {
      find: () => this.lookup.groupToChange(meta, body.id, body.clusterId),
      body: { delete: true, ...(force ? { force } : {}), ...(discardVolumes && { discardVolumes }) },
      starts: true,
      check: ({ declared, members }) => {
        this.lookup.requireNoVolumes(members.keys(), discardVolumes);
        return this.lookup.requireAccepting(declared.clusterId, 'removal');
      },
      decide: (state, { operationId: id }) => {
        const operation = { id, kind: 'node-group.delete', total: state.members.size };
        return deleteNodeGroup(state, { operationId: id, operation, ifMatch: meta.ifMatch, force });
      },
    });
  }

  /** Throws RefusedError `unknown-action`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<GroupRef & GroupActionBody>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const { action, type = 'soft', direction = 'out', count } = body;
    switch (action) {
      case 'resize':
        return this.resize(meta, body);
      case 'scale':
        return this.scaleBy(meta, body, omitUndefined({ action, direction, count }), (state, operationId) =>
          scaleNodeGroup(state, { direction, operationId, ifMatch, ...omitUndefined({ count }) }),
        );
      case 'rebuild':
        return this.begin(meta, body, (state, operation) => rebuildNodeGroup(state, { operation, ifMatch }));
      case 'reboot':
        return this.begin(meta, body, (state, operation) => rebootNodeGroup(state, { operation, type, ifMatch }));
      case 'retry':
        return this.begin(meta, body, (state, operation) => retryNodeGroup(state, { operation, ifMatch }));
      default:
        throw unknownAction('node groups', action);
    }
  }

  private setCount(meta: RequestMeta, ref: GroupRef, count: number): Promise<CommandReply> {
    return this.scaleBy(meta, ref, { count }, (state, id) => {
      const operation = { id, kind: 'node-group.resize', total: Math.abs(count - state.spec.count) };
      return resizeNodeGroup(state, { count, operation, ifMatch: meta.ifMatch });
    });
  }

  /** Throws RefusedError `invalid` unless exactly one of `count` and `change` is given. */
  private resize(meta: RequestMeta, body: GroupRef & GroupActionBody): Promise<CommandReply> {
    const { count, change, minStep, bestEffort } = body;
    requireCountOrChange(body);
    const adjustment = adjustmentOf(omitUndefined({ count, change }), omitUndefined({ minStep, bestEffort }));
    const asked = omitUndefined({ count, change, minStep, bestEffort });
    return this.scaleBy(meta, body, asked, (state, operationId) =>
      resizeNodeGroupBy(state, { adjustment, operationId, ifMatch: meta.ifMatch }),
    );
  }

  private scaleBy(
    meta: RequestMeta,
    { id, clusterId }: GroupRef,
    body: object,
    decide: (state: NodeGroupState, operationId: string) => Decision<NodeGroupEvent>,
  ): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.groupToChange(meta, id, clusterId),
      body,
      starts: true,
      check: ({ declared }) => this.lookup.requireAccepting(declared.clusterId),
      decide: (state, { operationId }) => decide(state, operationId),
    });
  }

  private begin(
    meta: RequestMeta,
    { action, type, discardVolumes, ...ref }: GroupRef & GroupActionBody,
    decide: (state: NodeGroupState, operation: Begin) => Decision<NodeGroupEvent>,
  ): Promise<CommandReply> {
    return this.commands.change(meta, {
      find: () => this.lookup.groupToChange(meta, ref.id, ref.clusterId),
      body: omitUndefined({ action, type, discardVolumes }),
      starts: true,
      check: ({ declared, members }) => {
        if (action === 'rebuild') this.lookup.requireNoVolumes(members.keys(), discardVolumes);
        return this.lookup.requireAccepting(declared.clusterId);
      },
      decide: (state, { operationId: id }) => decide(state, { id, kind: `node-group.${action}` }),
    });
  }
}
