import {
  deadlineAt,
  RefusedError,
  type CommandResult,
  type RequestMeta,
  type ResourceDocument,
} from '@stave/contracts';
import {
  cancelNodeOperation,
  cordonNode,
  drainNode,
  nodesBusyRefusal,
  rebootNode,
  rebuildNode,
  removeMember,
  replaceMember,
  retryNodeTask,
  revisionMismatch,
  type Decision,
  type DomainEvent,
  type NodeGroupEvent,
  type NodeGroupState,
  type NodeState,
  type OperationStart,
} from '@stave/domain';
import {
  ResourceCommands,
  type OperationRecord,
  type ReplyWithPosition,
  valuesOf,
  type ServiceRuntime,
} from '@stave/service-kit';
import { nodeFields } from './node.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import { clusterTakesWork } from '../node-groups/require-accepting-cluster.js';
import type { ResourceLookup } from '../resource-lookup.js';
import { shownGroup } from '../node-groups/node-group.document.js';
import { scopeOfResource } from '../node-groups/node-group.commands.js';

export interface NodeActionBody {
  readonly action: string;
  readonly type?: 'soft' | 'hard';
  readonly deadline?: string;
}

export interface NodeRemovalBody {
  readonly lowerMin?: boolean;
  readonly force?: boolean;
}

type Answer = Promise<ReplyWithPosition<CommandResult>>;
type Decide = (state: NodeState, operation: OperationStart) => Decision<DomainEvent>;
type DecideMember = (group: NodeGroupState, nodeId: string, operation: OperationStart) => Decision<NodeGroupEvent>;

const fields = (state: NodeState): ResourceDocument => nodeFields(state) as ResourceDocument;

/** Commands on single nodes. Those that change the membership are decided in the group's stream. */
export class NodeCommands {
  private readonly nodes: ResourceCommands<NodeState>;
  private readonly groups: ResourceCommands<NodeGroupState>;

  constructor(
    runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: ResourceLookup,
  ) {
    this.nodes = new ResourceCommands(runtime.ledger, { model: models.nodes, home: scopeOfResource, show: fields });
    this.groups = new ResourceCommands(runtime.ledger, {
      model: models.groups,
      home: scopeOfResource,
      show: shownGroup,
    });
  }

  async action(meta: RequestMeta, ref: string, body: NodeActionBody): Answer {
    const { ifMatch } = meta;
    switch (body.action) {
      case 'cordon':
      case 'uncordon':
        return this.onNode(meta, ref, body, state => cordonNode(state, body.action === 'cordon', ifMatch), false);
      case 'retry':
        return this.onNode(meta, ref, body, (state, operation) => retryNodeTask(state, operation, ifMatch));
      case 'drain':
        return this.drain(meta, ref, body);
      case 'rebuild':
        return this.onNode(meta, ref, body, (state, operation) => rebuildNode(state, operation, ifMatch));
      case 'reboot':
        return this.onNode(meta, ref, body, (state, operation) =>
          rebootNode(state, operation, body.type ?? 'soft', ifMatch),
        );
      case 'replace':
        return this.onGroup(meta, ref, body, 'node.replace', (group, nodeId, operation) =>
          replaceMember(group, nodeId, valuesOf(meta).uuid('replacement'), operation),
        );
      default:
        throw new RefusedError({
          code: 'unknown-action',
          kind: 'not-found',
          detail: `nodes have no action ${body.action}`,
        });
    }
  }

  private drain(meta: RequestMeta, ref: string, body: NodeActionBody): Answer {
    const deadline = body.deadline === undefined ? undefined : deadlineAt(body.deadline, Date.now());
    return this.onNode(meta, ref, body, (state, operation) => drainNode(state, operation, deadline, meta.ifMatch));
  }

  async remove(meta: RequestMeta, ref: string, { lowerMin = false, force = false }: NodeRemovalBody): Answer {
    const body = { lowerMin, ...(force ? { force } : {}) };
    return this.onGroup(meta, ref, body, 'node.delete', (group, nodeId, operation) =>
      removeMember(group, nodeId, operation, lowerMin, force),
    );
  }

  /** Calls a drain off. Answers the position of what was appended. */
  async cancel(meta: RequestMeta, { id, target }: OperationRecord): Promise<number | undefined> {
    const answer = await this.nodes.change(meta, {
      find: () => Promise.resolve(target.id),
      body: { cancel: id },
      starts: false,
      partOf: id,
      decide: state => cancelNodeOperation(state, id),
    });
    return answer.position;
  }

  private onNode(meta: RequestMeta, ref: string, body: NodeActionBody, decide: Decide, starts = true): Answer {
    const kind = `node.${body.action}`;
    return this.nodes.change(meta, {
      ...this.target(meta, ref),
      body,
      starts,
      check: async ({ declared }) => {
        if (!starts) return;
        await clusterTakesWork(this.models, declared?.clusterId);
        if (body.action !== 'retry') await this.groupLeavesRoom(declared?.nodeGroupId);
      },
      decide: (state, { operationId: id }) => decide(state, { id, kind, total: 1 }),
    });
  }

  private onGroup(meta: RequestMeta, ref: string, body: unknown, kind: string, decide: DecideMember): Answer {
    const { nodes } = this.models;
    const total = kind === 'node.replace' ? 2 : 1;
    return this.groups.change(meta, {
      ...this.target(meta, ref),
      decidedIn: async id => (await nodes.load(id)).state.declared?.nodeGroupId ?? '',
      body,
      starts: true,
      check: async ({ declared }, { resourceId }) => {
        await clusterTakesWork(this.models, declared?.clusterId, kind === 'node.delete');
        const { revision } = (await nodes.load(resourceId)).state;
        if (meta.ifMatch !== undefined && meta.ifMatch !== revision)
          throw new RefusedError(revisionMismatch(meta.ifMatch, revision));
      },
      decide: (group, { resourceId, operationId: id }) => decide(group, resourceId, { id, kind, total }),
      show: async (_group, { resourceId }, position = Infinity) => {
        const { state } = await nodes.asOf(resourceId, event => event.position < position);
        return fields(leaving(state, kind));
      },
    });
  }

  /** Throws RefusedError `busy` while the nodes of the group are gone through one by one anyway. */
  private async groupLeavesRoom(groupId: string | undefined): Promise<void> {
    if (groupId === undefined) return;
    const refusal = nodesBusyRefusal((await this.models.groups.load(groupId)).state);
    if (refusal) throw new RefusedError(refusal);
  }

  private target(meta: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.find.node(meta, ref)).id };
  }
}

/** The group accepted it; the node's own stream follows. */
const leaving = (state: NodeState, kind: string): NodeState =>
  kind === 'node.delete' ? { ...state, status: 'DELETING', schedulable: false } : state;
