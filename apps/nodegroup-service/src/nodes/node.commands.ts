import { Injectable } from '@nestjs/common';
import { deadlineAt, RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
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
  RequestLedger,
  ResourceCommands,
  unknownAction,
  valuesOf,
  type OperationRecord,
  type ReplyWithPosition,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { scopeOf } from '../node-groups/node-group.commands.js';
import { nodeGroupFields } from '../node-groups/node-group.document.js';
import { nodeFields } from './node.document.js';

export interface NodeActionBody {
  readonly action: string;
  readonly type?: 'soft' | 'hard';
  readonly deadline?: string;
}

export interface NodeRemovalBody {
  readonly lowerMin?: boolean;
  readonly force?: boolean;
}

type Reply = Promise<ReplyWithPosition<CommandResult>>;
type Decide = (state: NodeState, operation: OperationStart) => Decision<DomainEvent>;
type DecideMember = (group: NodeGroupState, nodeId: string, operation: OperationStart) => Decision<NodeGroupEvent>;

/** Commands on single nodes. Commands that add or remove a member are decided in the stream of the node group. */
@Injectable()
export class NodeCommands {
  private readonly nodes: ResourceCommands<NodeState>;
  private readonly groups: ResourceCommands<NodeGroupState>;

  constructor(
    ledger: RequestLedger,
    private readonly projection: FleetProjection,
    private readonly lookup: FleetLookup,
  ) {
    const { nodes, groups } = projection;
    this.nodes = new ResourceCommands(ledger, { model: nodes, scope: scopeOf, show: nodeFields });
    this.groups = new ResourceCommands(ledger, { model: groups, scope: scopeOf, show: nodeGroupFields });
  }

  /** Throws RefusedError `unknown-action`. */
  async action(meta: RequestMeta, ref: string, body: NodeActionBody): Reply {
    const { ifMatch } = meta;
    switch (body.action) {
      case 'cordon':
      case 'uncordon':
        return this.onNode(
          meta,
          ref,
          body,
          state => cordonNode(state, { cordon: body.action === 'cordon', ifMatch }),
          false,
        );
      case 'retry':
        return this.onNode(meta, ref, body, (state, operation) => retryNodeTask(state, { operation, ifMatch }));
      case 'drain':
        return this.drain(meta, ref, body);
      case 'rebuild':
        return this.onNode(meta, ref, body, (state, operation) => rebuildNode(state, { operation, ifMatch }));
      case 'reboot':
        return this.onNode(meta, ref, body, (state, operation) =>
          rebootNode(state, { operation, type: body.type ?? 'soft', ifMatch }),
        );
      case 'replace':
        return this.onGroup(meta, ref, body, 'node.replace', (group, nodeId, operation) =>
          replaceMember(group, { nodeId, successorId: valuesOf(meta).uuid('replacement'), operation }),
        );
      default:
        throw unknownAction('nodes', body.action);
    }
  }

  private drain(meta: RequestMeta, ref: string, body: NodeActionBody): Reply {
    const deadline = body.deadline === undefined ? undefined : deadlineAt(body.deadline, Date.now());
    return this.onNode(meta, ref, body, (state, operation) =>
      drainNode(state, { operation, deadline, ifMatch: meta.ifMatch }),
    );
  }

  async remove(meta: RequestMeta, ref: string, { lowerMin = false, force = false }: NodeRemovalBody): Reply {
    const body = { lowerMin, ...(force ? { force } : {}) };
    return this.onGroup(meta, ref, body, 'node.delete', (group, nodeId, operation) =>
      removeMember(group, { nodeId, operation, lowerMin, force }),
    );
  }

  /** Cancels a drain. Resolves to the position of the last event appended. */
  async cancel(meta: RequestMeta, { id, target }: OperationRecord): Promise<number | undefined> {
    const reply = await this.nodes.change(meta, {
      find: () => Promise.resolve(target.id),
      body: { cancel: id },
      starts: false,
      partOf: id,
      decide: state => cancelNodeOperation(state, id),
    });
    return reply.position;
  }

  private onNode(meta: RequestMeta, ref: string, body: NodeActionBody, decide: Decide, starts = true): Reply {
    const kind = `node.${body.action}`;
    return this.nodes.change(meta, {
      ...this.target(meta, ref),
      body,
      starts,
      check: async ({ declared }) => {
        if (!starts) return;
        await this.lookup.requireAccepting(declared?.clusterId);
        if (body.action !== 'retry') await this.requireNoRollout(declared?.nodeGroupId);
      },
      decide: (state, { operationId: id }) => decide(state, { id, kind, total: 1 }),
    });
  }

  private onGroup(meta: RequestMeta, ref: string, body: unknown, kind: string, decide: DecideMember): Reply {
    const { nodes } = this.projection;
    const total = kind === 'node.replace' ? 2 : 1;
    return this.groups.change(meta, {
      ...this.target(meta, ref),
      decidedIn: async id => (await nodes.load(id)).state.declared?.nodeGroupId ?? '',
      body,
      starts: true,
      check: async ({ declared }, { resourceId }) => {
        await this.lookup.requireAccepting(declared?.clusterId, kind === 'node.delete' ? 'removal' : 'work');
        const { revision } = (await nodes.load(resourceId)).state;
        if (meta.ifMatch !== undefined && meta.ifMatch !== revision)
          throw new RefusedError(revisionMismatch(meta.ifMatch, revision));
      },
      decide: (group, { resourceId, operationId: id }) => decide(group, resourceId, { id, kind, total }),
      show: async (_group, { resourceId }, position = Infinity) => {
        const { state } = await nodes.asOf(resourceId, event => event.position < position);
        return nodeFields(leaving(state, kind));
      },
    });
  }

  /** Throws RefusedError `busy` during a rollout of the group: it rebuilds or restarts the node anyway. */
  private async requireNoRollout(groupId: string | undefined): Promise<void> {
    if (groupId === undefined) return;
    const refusal = nodesBusyRefusal((await this.projection.groups.load(groupId)).state);
    if (refusal) throw new RefusedError(refusal);
  }

  private target(meta: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.lookup.node(meta, ref)).id };
  }
}

/** Returns the node as clients see it after its group accepted the command; the stream of the node follows later. */
const leaving = (state: NodeState, kind: string): NodeState =>
  kind === 'node.delete' ? { ...state, status: 'DELETING', schedulable: false } : state;
