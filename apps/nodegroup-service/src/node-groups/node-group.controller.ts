import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  createNodeGroup,
  deleteNodeGroup,
  omitUndefined,
  resizeNodeGroup,
  updateNodeGroup,
  type NodeGroupChanges,
  type NodeGroupPatch,
  type NodeGroupState,
} from '@stave/domain';
import { RingFollower, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { GroupFlavorPatch } from './group-flavor-patch.js';
import { checkPatch, rollingOptionsIn } from './node-group-patch.js';
import { NodeGroupRegistry } from './node-group-registry.js';
import type { GroupRef } from './group-ref.js';
import { nodeGroupResource } from './node-group.resource.js';
import { NodeGroupRequestResolver, type NodeGroupInput } from './resolve-node-group-request.js';

const on = (verb: string): string => commandSubject('nodegroup-service', 'node-group', verb);

interface GroupPatch {
  readonly patch: NodeGroupPatch;
  readonly discardVolumes?: boolean;
}

interface GroupRemoval {
  readonly force?: boolean;
  readonly discardVolumes?: boolean;
}

/** Creates, changes and deletes node groups; each command answers with the group as accepted. */
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
    const flavors = this.requests.flavors.forRequest();
    return this.commands.create(meta, {
      body,
      starts: true,
      resolve: ids => this.requests.resolve(meta, body, ids, flavors),
      stored: ({ group }) => (body.from || flavors.isUsed ? group : undefined),
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
  patch({ meta, body }: ServiceRequest<GroupRef & GroupPatch>): Promise<CommandReply> {
    const { patch, discardVolumes } = body;
    const { count, ...others } = patch;
    if (count !== undefined && Object.keys(others).length === 0) return this.setCount(meta, body, count);
    const { projection } = this;
    const ring = this.ring.view;
    const flavor = new GroupFlavorPatch({ ring, projection }, this.requests.flavors.forRequest(), patch);
    const changes = (state: NodeGroupState): NodeGroupChanges => flavor.changesOf(state);
    const decide = (state: NodeGroupState, operationId: string) => {
      const changed = changes(state);
      const rollingOptions = changed.options && rollingOptionsIn(ring, projection, state, changed);
      return updateNodeGroup(state, changed, {
        operationId,
        ...omitUndefined({ ifMatch: meta.ifMatch, rollingOptions, discardVolumes }),
      });
    };
    return this.commands.change(meta, {
      find: () => this.lookup.groupToChange(meta, body.id, body.clusterId),
      body: { ...patch, ...(discardVolumes && { discardVolumes }) },
      starts: true,
      check: async (state, { operationId }) => {
        const check = (): void => {
          const decision = decide(state, operationId);
          checkPatch({ ring, projection }, state, changes(state), decision);
          this.lookup.requireKeptData(state, decision, discardVolumes);
        };
        check();
        if (await flavor.learn(state)) check();
      },
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
        const allowed = discardVolumes ? { discardVolumes: true as const } : {};
        const operation = { id, kind: 'node-group.delete', total: state.members.size, ...allowed };
        return deleteNodeGroup(state, { operationId: id, operation, ifMatch: meta.ifMatch, force });
      },
    });
  }

  private setCount(meta: RequestMeta, { id, clusterId }: GroupRef, count: number): Promise<CommandReply> {
    const decide = (state: NodeGroupState, operationId: string) => {
      const operation = { id: operationId, kind: 'node-group.resize', total: Math.abs(count - state.spec.count) };
      return resizeNodeGroup(state, { count, operation, ifMatch: meta.ifMatch });
    };
    return this.commands.change(meta, {
      find: () => this.lookup.groupToChange(meta, id, clusterId),
      body: { count },
      starts: true,
      check: (state, { operationId }) => {
        this.lookup.requireKeptData(state, decide(state, operationId));
        return this.lookup.requireAccepting(state.declared.clusterId);
      },
      decide: (state, { operationId }) => decide(state, operationId),
    });
  }
}
