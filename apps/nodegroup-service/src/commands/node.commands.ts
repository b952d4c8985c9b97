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
  rebootNode,
  rebuildNode,
  removeMember,
  replaceMember,
  retryNodeTask,
  revisionMoved,
  type Decision,
  type DomainEvent,
  type NodeState,
  type OperationStart,
} from '@stave/domain';
import {
  Positioned,
  requestContext,
  type OperationRecord,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import { nodeFields } from '../documents/node.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import type { Find } from './find.js';

export interface NodeActionBody {
  readonly action: string;
  readonly type?: 'soft' | 'hard';
  readonly deadline?: string;
}

type Answer = Promise<Positioned<CommandResult>>;
type Decide = (state: NodeState, operation: OperationStart) => Decision<DomainEvent>;

const fields = (state: NodeState): ResourceDocument => nodeFields(state) as ResourceDocument;

/** Commands on single nodes. Those that change the membership are decided in the group's stream. */
export class NodeCommands {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: Find,
  ) {}

  async action(meta: RequestMeta, ref: string, body: NodeActionBody): Answer {
    const { ifMatch } = meta;
    switch (body.action) {
      case 'cordon':
      case 'uncordon':
        return this.onNode(meta, ref, body, state => cordonNode(state, body.action === 'cordon', ifMatch), false);
      case 'retry':
        return this.onNode(meta, ref, body, state => retryNodeTask(state), false);
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
          replaceMember(group, nodeId, uuidv7(), operation),
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

  async remove(meta: RequestMeta, ref: string, lowerMin: boolean): Answer {
    return this.onGroup(meta, ref, { lowerMin }, 'node.delete', (group, nodeId, operation) =>
      removeMember(group, nodeId, operation, lowerMin),
    );
  }

  /** Calls a drain off. Answers the position of what it appended. */
  async cancel(meta: RequestMeta, { id, target, projectId, clusterId }: OperationRecord): Promise<number | undefined> {
    const ids = { operationId: id, requestId: this.runtime.newIds().requestId };
    const context = requestContext(meta, ids, projectId, clusterId);
    return (await this.models.nodes.execute(target.id, s => cancelNodeOperation(s, id), context)).position;
  }

  private async onNode(
    meta: RequestMeta,
    ref: string,
    body: NodeActionBody,
    decide: Decide,
    withOperation = true,
  ): Answer {
    const fresh = this.runtime.newIds();
    const node = await this.find.node(meta, ref);
    const kind = `node.${body.action}`;
    const start = (ids: RequestIds): OperationStart => ({ id: ids.operationId, kind, total: 1 });
    const check = async (): Promise<void> => {
      const decision = decide((await this.models.nodes.load(node.id)).state, start(fresh));
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const shown = withOperation ? ids.operationId : undefined;
      const done = repeat ? await this.models.nodes.asAccepted(node.id, ids.requestId) : undefined;
      if (done) return answer(done.state, shown, done.position);
      const context = requestContext(
        meta,
        withOperation ? ids : { requestId: ids.requestId },
        node.state.declared?.projectId ?? '',
        node.state.declared?.clusterId,
      );
      const { state, position } = await this.models.nodes.execute(node.id, s => decide(s, start(ids)), context);
      return answer(state, shown, position);
    });
  }

  private async onGroup(
    meta: RequestMeta,
    ref: string,
    body: unknown,
    kind: string,
    decide: (
      group: Parameters<typeof removeMember>[0],
      nodeId: string,
      operation: OperationStart,
    ) => ReturnType<typeof removeMember>,
  ): Answer {
    const fresh = this.runtime.newIds();
    const node = await this.find.node(meta, ref);
    const { declared, revision } = node.state;
    if (!declared) throw new RefusedError({ code: 'not-found', kind: 'not-found', detail: 'the node does not exist' });
    if (meta.ifMatch !== undefined && meta.ifMatch !== revision)
      throw new RefusedError(revisionMoved(meta.ifMatch, revision));
    const start = (ids: RequestIds): OperationStart => ({
      id: ids.operationId,
      kind,
      total: kind === 'node.replace' ? 2 : 1,
    });
    const check = async (): Promise<void> => {
      const decision = decide((await this.models.groups.load(declared.nodeGroupId)).state, node.id, start(fresh));
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const done = repeat ? await this.models.groups.asAccepted(declared.nodeGroupId, ids.requestId) : undefined;
      if (done) return answer(leaving(node.state, kind), ids.operationId, done.position);
      const context = requestContext(meta, ids, declared.projectId, declared.clusterId);
      const { position } = await this.models.groups.execute(
        declared.nodeGroupId,
        g => decide(g, node.id, start(ids)),
        context,
      );
      return answer(leaving(node.state, kind), ids.operationId, position);
    });
  }
}

/** The group accepted it; the node's own stream follows. */
const leaving = (state: NodeState, kind: string): NodeState =>
  kind === 'node.delete' ? { ...state, status: 'DELETING', schedulable: false } : state;

function answer(
  state: NodeState,
  operationId: string | undefined,
  position: number | undefined,
): Positioned<CommandResult> {
  return new Positioned({ resource: fields(state), ...(operationId === undefined ? {} : { operationId }) }, position);
}
