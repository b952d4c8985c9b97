import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import {
  brokenRules,
  cancelNodeGroupOperation,
  createNodeGroup,
  deleteNodeGroup,
  resizeNodeGroup,
  resolveNodeGroupSpec,
  updateNodeGroup,
  type Decision,
  type NodeGroupChanges,
  type NodeGroupEvent,
  type NodeGroupInput,
  type NodeGroupSpec,
  type NodeGroupState,
} from '@stave/domain';
import {
  driverDefaults,
  manifestOf,
  optionProblems,
  Positioned,
  requestContext,
  requireDriver,
  type OperationRecord,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/platform';
import { nodeGroupFields } from '../documents/node-group.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import type { GroupRegistration } from '../reconcile/group-registration.js';
import type { Find } from './find.js';

export type Answer = Promise<Positioned<CommandResult>>;
export interface ResizeBody {
  readonly count?: number;
  readonly change?: number | string;
}

const fields = (state: NodeGroupState): ResourceDocument => nodeGroupFields(state) as ResourceDocument;

/** A group by id or name, and the cluster that the path named. */
interface GroupRef {
  readonly ref: string;
  readonly clusterRef: string | undefined;
}

/** Commands on node groups; each answers with the group as accepted. */
export class NodeGroupCommands {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: Find,
    private readonly registration: GroupRegistration,
  ) {}

  async create(meta: RequestMeta, body: NodeGroupInput & { readonly clusterId: string }): Answer {
    const cluster = await this.find.cluster(meta, body.clusterId);
    const { created, spec: clusterSpec } = cluster.state;
    if (!created || !clusterSpec || cluster.state.deleting)
      throw new RefusedError({ code: 'being-deleted', kind: 'conflict', detail: 'the cluster is being deleted' });
    const fresh = this.runtime.newIds();
    const declare = (ids: RequestIds): { readonly id: string; readonly name: string; readonly spec: NodeGroupSpec } => {
      const { driver, driverVersion, conductorGroup } = clusterSpec;
      const { view } = this.runtime.ring;
      const [version] = view.serves(body.conductorGroup ?? conductorGroup, driver, driverVersion);
      const manifest = version === undefined ? {} : (manifestOf(view, driver, version) ?? {});
      const resolved = resolveNodeGroupSpec(body, { cluster: clusterSpec.defaults, ...driverDefaults(manifest) }, '');
      const options = optionProblems(manifest, body.options ?? {}, '/options');
      const problems = [...(resolved.ok ? [] : resolved.problems), ...options];
      if (!resolved.ok || problems.length > 0) throw new RefusedError(brokenRules(problems));
      return { id: ids.resourceId, name: body.name ?? `group-${ids.resourceId.slice(-6)}`, spec: resolved.spec };
    };
    const check = async (): Promise<void> => {
      const group = declare(fresh);
      const { conductorGroup, driver, driverVersion } = clusterSpec;
      requireDriver(this.runtime.ring.view, group.spec.conductorGroup ?? conductorGroup, driver, driverVersion);
      await this.registration.check(cluster.id, cluster.state, group);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      if (!repeat) await check();
      const done = await this.models.groups.asAccepted(ids.resourceId, ids.requestId);
      if (done) return answer(done.state, ids.operationId, done.position);
      const group = declare(ids);
      const context = requestContext(meta, ids, created.projectId, cluster.id);
      await this.registration.register(cluster.id, cluster.state, group, context);
      const operation = { id: ids.operationId, kind: 'node-group.create', total: group.spec.count };
      const declaration = {
        ...group,
        clusterId: cluster.id,
        projectId: created.projectId,
        operationId: ids.operationId,
        operation,
      };
      const { state, position } = await this.models.groups.create(
        group.id,
        s => s.declared !== undefined,
        () => createNodeGroup(declaration),
        context,
      );
      return answer(state, ids.operationId, position);
    });
  }

  async resize(meta: RequestMeta, ref: string, clusterRef: string | undefined, body: ResizeBody): Answer {
    const kind = 'node-group.resize';
    return this.change(meta, { ref, clusterRef }, body, (state, ids) => {
      const count = wantedCount(state.spec?.count ?? 0, body);
      return resizeNodeGroup(
        state,
        count,
        { id: ids.operationId, kind, total: Math.abs(count - (state.spec?.count ?? 0)) },
        meta.ifMatch,
      );
    });
  }

  async patch(
    meta: RequestMeta,
    ref: string,
    clusterRef: string | undefined,
    patch: NodeGroupChanges & { readonly count?: number },
  ): Answer {
    const { count, ...changes } = patch;
    const { state } = await this.find.group(meta, ref, clusterRef);
    if (changes.conductorGroup !== undefined) {
      const cluster = this.models.clusters.get(state.declared?.clusterId ?? '')?.spec;
      if (cluster) {
        const { conductorGroup, driver, driverVersion } = cluster;
        requireDriver(this.runtime.ring.view, changes.conductorGroup ?? conductorGroup, driver, driverVersion);
      }
    }
    const merged: NodeGroupChanges = changes.labels
      ? { ...changes, labels: mergeLabels(state.spec?.labels ?? {}, changes.labels) }
      : changes;
    if (count === undefined)
      return this.change(meta, { ref, clusterRef }, patch, s => updateNodeGroup(s, merged, meta.ifMatch), false);
    if (Object.keys(changes).length === 0) return this.resize(meta, ref, clusterRef, { count });
    throw new RefusedError(
      brokenRules([{ pointer: '/count', code: 'change-alone', detail: 'change the count in a request of its own' }]),
    );
  }

  async remove(meta: RequestMeta, ref: string, clusterRef: string | undefined): Answer {
    return this.change(meta, { ref, clusterRef }, { delete: true }, (state, ids) =>
      deleteNodeGroup(
        state,
        ids.operationId,
        { id: ids.operationId, kind: 'node-group.delete', total: state.members.size },
        meta.ifMatch,
      ),
    );
  }

  /** What the operation was making is removed again. */
  async cancel(meta: RequestMeta, operation: OperationRecord): Promise<number | undefined> {
    const { id, type } = operation.target;
    if (type !== 'nodeGroup')
      throw new RefusedError({
        code: 'not-cancellable',
        kind: 'conflict',
        detail: `a ${operation.kind} cannot be cancelled`,
      });
    const ids = { operationId: operation.id, requestId: this.runtime.newIds().requestId };
    const context = requestContext(meta, ids, operation.projectId, operation.clusterId);
    const { position } = await this.models.groups.execute(id, s => cancelNodeGroupOperation(s, operation.id), context);
    return position;
  }

  private async change(
    meta: RequestMeta,
    { ref, clusterRef }: GroupRef,
    body: unknown,
    decide: (state: NodeGroupState, ids: RequestIds) => Decision<NodeGroupEvent>,
    operation = true,
  ): Answer {
    const fresh = this.runtime.newIds();
    const group = await this.find.group(meta, ref, clusterRef);
    const check = async (): Promise<void> => {
      const decision = decide((await this.models.groups.load(group.id)).state, fresh);
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const done = repeat ? await this.models.groups.asAccepted(group.id, ids.requestId) : undefined;
      if (done) return answer(done.state, operation ? ids.operationId : undefined, done.position);
      const context = requestContext(
        meta,
        operation ? ids : { requestId: ids.requestId },
        group.state.declared?.projectId ?? '',
        group.state.declared?.clusterId,
      );
      const { state, position } = await this.models.groups.execute(group.id, s => decide(s, ids), context);
      return answer(state, operation ? ids.operationId : undefined, position);
    });
  }
}

function answer(
  state: NodeGroupState,
  operationId: string | undefined,
  position: number | undefined,
): Positioned<CommandResult> {
  return new Positioned({ resource: fields(state), ...(operationId === undefined ? {} : { operationId }) }, position);
}

/** `{count}`, or `{change}` by a number or a percentage (rounded away from zero). */
function wantedCount(count: number, body: ResizeBody): number {
  if (body.count !== undefined) return body.count;
  const { change } = body;
  const percent = typeof change === 'string' ? /^([+-]?\d+(?:\.\d+)?)%$/.exec(change)?.[1] : undefined;
  const exact = percent === undefined ? Number(change) : (count * Number(percent)) / 100;
  const by = Math.sign(exact) * Math.ceil(Math.abs(exact));
  const wanted = count + by;
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= 10_000) return wanted;
  throw new RefusedError(
    brokenRules([{ pointer: '/change', code: 'bad-count', detail: 'the count would not be between 0 and 10000' }]),
  );
}

/** JSON Merge Patch (RFC 7396) of one level: null removes. */
function mergeLabels(
  labels: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = new Map(Object.entries(labels));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
