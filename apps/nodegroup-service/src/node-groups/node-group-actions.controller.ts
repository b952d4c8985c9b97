import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import {
  adjustmentOf,
  nodesToRenew,
  omitUndefined,
  rebootNodeGroup,
  rebuildNodeGroup,
  resizeNodeGroupBy,
  retryNodeGroup,
  scaleNodeGroup,
  scalingPolicyOf,
  type Decision,
  type NodeGroupEvent,
  type NodeGroupState,
  type ScalingDirection,
} from '@stave/domain';
import { requireCountOrChange, unknownAction, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { GroupPolicyLookup } from '../fleet/group-policy.lookup.js';
import type { GroupRef } from './group-ref.js';
import { nodeGroupResource } from './node-group.resource.js';

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

interface Begin {
  readonly id: string;
  readonly kind: string;
  readonly discardVolumes?: true;
}

/** Carries out actions on node groups; each answers with the group as accepted. */
@Controller()
export class NodeGroupActionsController {
  constructor(
    @Inject(nodeGroupResource.commands) private readonly commands: ResourceCommands<NodeGroupState>,
    private readonly lookup: FleetLookup,
    private readonly policies: GroupPolicyLookup,
  ) {}

  /** Throws RefusedError `unknown-action`, `catching-up`. */
  @MessagePattern(commandSubject('nodegroup-service', 'node-group', 'action'))
  async action({ meta, body }: ServiceRequest<GroupRef & GroupActionBody>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const { action, type = 'soft', direction = 'out', count } = body;
    switch (action) {
      case 'resize':
        return this.resize(meta, body);
      case 'scale': {
        // attachments and policies are in other streams than the group: what was acknowledged before is seen
        if (count === undefined) await this.lookup.caughtUp();
        const now = new Date().toISOString();
        return this.scaleBy(meta, body, omitUndefined({ action, direction, count }), (state, operationId) => {
          const policy = scalingPolicyOf(this.policies.effective(state), direction);
          return scaleNodeGroup(state, { direction, operationId, now, ifMatch, ...omitUndefined({ count, policy }) });
        });
      }
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
      check: (state, { operationId }) => {
        this.lookup.requireKeptData(state, decide(state, operationId));
        return this.lookup.requireAccepting(state.declared.clusterId);
      },
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
      check: state => {
        const { declared, members } = state;
        if (action === 'rebuild') this.lookup.requireNoVolumes(members.keys(), discardVolumes);
        if (action === 'retry') this.lookup.requireNoVolumes(nodesToRenew(state), discardVolumes);
        return this.lookup.requireAccepting(declared.clusterId);
      },
      decide: (state, { operationId: id }) =>
        decide(state, { id, kind: `node-group.${action}`, ...(discardVolumes && { discardVolumes: true as const }) }),
    });
  }
}
