import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  deadlineAt,
  RefusedError,
  type RequestMeta,
  type ResourceDocument,
  type ServiceRequest,
} from '@stave/contracts';
import {
  cordonNode,
  drainNode,
  endNodeRelease,
  isNodeInService,
  nodesBusyRefusal,
  rebootNode,
  rebuildNode,
  removeMember,
  replaceMember,
  retryNodeTask,
  revisionMismatch,
  type Decision,
  type DeletionHook,
  type DomainEvent,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
  type OperationStart,
} from '@stave/domain';
import { unknownAction, valuesOf, type CommandReply, type ResourceCommands } from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { GroupPolicyLookup } from '../fleet/group-policy.lookup.js';
import { nodeGroupResource } from '../node-groups/node-group.resource.js';
import { nodeFields } from './node.document.js';
import { nodeResource } from './node.resource.js';
import { UsageTotals, type UsageTotal } from './usage-totals.js';

const on = (verb: string): string => commandSubject('nodegroup-service', 'node', verb);

interface Ref {
  readonly id: string;
}

interface NodeActionBody extends Ref {
  readonly action: string;
  readonly type?: 'soft' | 'hard';
  readonly deadline?: string;
  readonly discardVolumes?: boolean;
}

interface NodeRemovalBody extends Ref {
  readonly lowerMin?: boolean;
  readonly force?: boolean;
  readonly discardVolumes?: boolean;
}

/** Names a cluster or a node group. */
interface StatsRequest {
  readonly cluster?: string;
  readonly nodeGroup?: string;
  /** Seconds. */
  readonly window?: number;
}

const DEFAULT_WINDOW_SECONDS = 300;

type Decide = (state: NodeState, operation: OperationStart) => Decision<DomainEvent>;
type DecideMember = (group: NodeGroupState, nodeId: string, operation: OperationStart) => Decision<NodeGroupEvent>;

/** Commands on single nodes. Commands that add or remove a member are decided in the stream of the node group. */
@Controller()
export class NodeController {
  constructor(
    @Inject(nodeResource.commands) private readonly nodes: ResourceCommands<NodeState>,
    @Inject(nodeGroupResource.commands) private readonly groups: ResourceCommands<NodeGroupState>,
    private readonly projection: FleetProjection,
    private readonly lookup: FleetLookup,
    private readonly totals: UsageTotals,
    private readonly policies: GroupPolicyLookup,
  ) {}

  /** Answers what the nodes of a cluster or node group use, and the containers on them. */
  @MessagePattern(on('stats'))
  async stats({ meta, body }: ServiceRequest<StatsRequest>): Promise<UsageTotal> {
    const { cluster, nodeGroup = '', window = DEFAULT_WINDOW_SECONDS } = body;
    const owner = await (cluster === undefined
      ? this.lookup.group(meta, nodeGroup)
      : this.lookup.cluster(meta, cluster));
    return this.totals.over(owner.id, window * 1000);
  }

  /** Throws RefusedError `unknown-action`. */
  @MessagePattern(on('action'))
  async action({ meta, body }: ServiceRequest<NodeActionBody>): Promise<CommandReply> {
    const { ifMatch } = meta;
    const { action, type = 'soft' } = body;
    switch (action) {
      case 'cordon':
      case 'uncordon':
        return this.onNode(meta, body, state => cordonNode(state, { cordon: action === 'cordon', ifMatch }), false);
      case 'retry':
        return this.onNode(meta, body, (state, operation) => retryNodeTask(state, { operation, ifMatch }));
      case 'drain': {
        const deadline = body.deadline === undefined ? undefined : deadlineAt(body.deadline, Date.now());
        return this.onNode(meta, body, (state, operation) => drainNode(state, { operation, deadline, ifMatch }));
      }
      case 'rebuild':
        return this.onNode(meta, body, (state, operation) => rebuildNode(state, { operation, ifMatch }));
      case 'reboot':
        return this.onNode(meta, body, (state, operation) => rebootNode(state, { operation, type, ifMatch }));
      case 'replace':
        return this.onGroup(meta, body, 'node.replace', (group, nodeId, operation) =>
          replaceMember(group, { nodeId, successorId: valuesOf(meta).uuid('replacement'), operation }),
        );
      case 'release':
      case 'abort':
        return this.endRelease(meta, body.id, action);
      default:
        throw unknownAction('nodes', action);
    }
  }

  @MessagePattern(on('delete'))
  remove({ meta, body }: ServiceRequest<NodeRemovalBody>): Promise<CommandReply> {
    const { id, lowerMin = false, force = false, discardVolumes } = body;
    const remembered = { id, lowerMin, ...(force ? { force } : {}), ...(discardVolumes && { discardVolumes }) };
    return this.onGroup(meta, remembered, 'node.delete', (group, nodeId, operation) =>
      removeMember(group, { nodeId, operation, lowerMin, force, hook: this.hookOf(group, nodeId) }),
    );
  }

  /** Returns the hook of the deletion policy of the group for a node that is in service. */
  private hookOf(group: NodeGroupState, nodeId: string): DeletionHook | undefined {
    const node = this.projection.nodes.get(nodeId);
    return node && isNodeInService(node) ? this.policies.of(group).deletion?.hook : undefined;
  }

  /** Releases a node whose removal waits for that, or keeps it. Throws RefusedError `no-release-awaited`. */
  private endRelease(meta: RequestMeta, ref: string, action: 'release' | 'abort'): Promise<CommandReply> {
    const { nodes } = this.projection;
    return this.groups.change(meta, {
      find: () => this.lookup.node(meta, ref),
      decidedIn: async id => (await nodes.loadExisting(id)).state.declared.nodeGroupId,
      body: { action },
      decide: (group, { resourceId: nodeId }) => endNodeRelease(group, { nodeId, action }),
      show: (_group, { resourceId }, position) => this.shown(resourceId, position),
    });
  }

  /** Returns the fields of the node before this position; a dry run appends nothing, and its position may be before the declaration. */
  private async shown(id: string, position = Infinity, kind = ''): Promise<ResourceDocument> {
    const { nodes } = this.projection;
    const { state } = await nodes.asOf(id, event => event.position < position);
    return nodeFields(leaving(state ?? (await nodes.loadExisting(id)).state, kind));
  }

  private onNode(
    meta: RequestMeta,
    { id: ref, ...body }: NodeActionBody,
    decide: Decide,
    starts = true,
  ): Promise<CommandReply> {
    const kind = `node.${body.action}`;
    return this.nodes.change(meta, {
      find: () => this.lookup.node(meta, ref),
      body,
      starts,
      check: async ({ declared }) => {
        if (!starts) return;
        if (body.action === 'rebuild') this.lookup.requireNoVolumes([declared.id], body.discardVolumes);
        await this.lookup.requireAccepting(declared.clusterId);
        if (body.action !== 'retry') await this.requireNoRollout(declared.nodeGroupId);
      },
      decide: (state, { operationId: id }) => decide(state, { id, kind, total: 1, ...permission(body) }),
    });
  }

  private onGroup(
    meta: RequestMeta,
    { id: ref, ...body }: Ref & { readonly discardVolumes?: boolean },
    kind: string,
    decide: DecideMember,
  ) {
    const { nodes } = this.projection;
    const total = kind === 'node.replace' ? 2 : 1;
    return this.groups.change(meta, {
      find: () => this.lookup.node(meta, ref),
      decidedIn: async id => (await nodes.loadExisting(id)).state.declared.nodeGroupId,
      body,
      starts: true,
      check: async ({ declared }, { resourceId }) => {
        await this.lookup.requireAccepting(declared.clusterId, kind === 'node.delete' ? 'removal' : 'work');
        this.lookup.requireNoVolumes([resourceId], body.discardVolumes);
        const { revision } = (await nodes.loadExisting(resourceId)).state;
        if (meta.ifMatch !== undefined && meta.ifMatch !== revision)
          throw new RefusedError(revisionMismatch(meta.ifMatch, revision));
      },
      decide: (group, { resourceId, operationId: id }) => {
        return decide(group, resourceId, { id, kind, total, ...permission(body) });
      },
      show: (_group, { resourceId }, position) => this.shown(resourceId, position, kind),
    });
  }

  /** Throws RefusedError `busy` during a rollout of the group: it rebuilds or restarts the node anyway. */
  private async requireNoRollout(groupId: string): Promise<void> {
    const { state } = await this.projection.groups.load(groupId);
    const refusal = state && nodesBusyRefusal(state);
    if (refusal) throw new RefusedError(refusal);
  }
}

const permission = ({ discardVolumes }: { readonly discardVolumes?: boolean }) =>
  discardVolumes ? { discardVolumes: true as const } : {};

/** Returns the node as clients see it after its group accepted the command; the stream of the node follows later. */
const leaving = (state: NodeState, kind: string): NodeState =>
  kind === 'node.delete' ? { ...state, status: 'DELETING', schedulable: false } : state;
