import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import {
  brokenRules,
  cancelNodeGroupOperation,
  createNodeGroup,
  deleteNodeGroup,
  mergeLabels,
  notFound,
  refusesWork,
  resizeNodeGroup,
  updateNodeGroup,
  whilePaused,
  type ClusterState,
  type NodeGroupChanges,
  type NodeGroupDeclaration,
  type NodeGroupSpec,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';
import {
  Positioned,
  requestContext,
  requireDriver,
  ResourceCommands,
  type Home,
  type OperationRecord,
  type RequestIds,
  type ServiceRuntime,
  type Named,
} from '@stave/platform';
import { nodeGroupFields } from '../documents/node-group.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import type { GroupRegistration } from '../reconcile/group-registration.js';
import { clusterTakesWork } from './cluster-takes-work.js';
import type { Find } from './find.js';
import { planGroup, type NodeGroupInput } from './plan-group.js';

export type Answer = Promise<Positioned<CommandResult>>;
export interface ResizeBody {
  readonly count?: number;
  readonly change?: number | string;
}

/** A merge patch: null goes back to the default, and takes a label or all of them away. */
export interface NodeGroupPatch {
  readonly count?: number;
  readonly minCount?: number | null;
  readonly maxCount?: number | null;
  readonly conductorGroup?: string | null;
  readonly labels?: Readonly<Record<string, string | null>> | null;
}

export const shownGroup = (state: NodeGroupState): ResourceDocument => nodeGroupFields(state) as ResourceDocument;
/** Where groups and nodes belong. */
export const homeOf = ({ declared }: Pick<NodeGroupState | NodeState, 'declared'>): Home => ({
  projectId: declared?.projectId ?? '',
  clusterId: declared?.clusterId ?? '',
});

/** Commands on node groups; each answers with the group as accepted. */
export class NodeGroupCommands {
  private readonly commands: ResourceCommands<NodeGroupState>;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: Find,
    private readonly registration: GroupRegistration,
  ) {
    this.commands = new ResourceCommands(runtime, { model: models.groups, home: homeOf, show: shownGroup });
  }

  async create(meta: RequestMeta, body: NodeGroupInput): Answer {
    const { groups } = this.models;
    const fresh = this.runtime.newIds();
    const check = async (): Promise<void> => void (await this.planned(meta, body, fresh));
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const done = repeat ? await groups.asAccepted(ids.resourceId, ids.requestId) : undefined;
      if (done) return made(done.state, ids, done.position);
      const { cluster, declaration } = await this.planned(meta, body, ids);
      const context = requestContext(meta, ids, declaration.projectId, cluster.id);
      await this.registration.register(cluster.id, cluster.state, declaration, context);
      const { state, position } = await groups.create(
        declaration.id,
        s => s.declared !== undefined,
        () => createNodeGroup(declaration),
        context,
      );
      return made(state, ids, position);
    });
  }

  /** What the request comes to. Throws RefusedError when that cannot be. */
  private async planned(
    meta: RequestMeta,
    body: NodeGroupInput,
    { resourceId: id, operationId }: RequestIds,
  ): Promise<{ readonly cluster: Named<ClusterState>; readonly declaration: NodeGroupDeclaration }> {
    const cluster = await this.find.cluster(meta, body.clusterId);
    const { created, spec: clusterSpec } = cluster.state;
    const refusal = refusesWork(cluster.state) ?? whilePaused(cluster.state);
    if (!created || !clusterSpec || refusal) throw new RefusedError(refusal ?? notFound('the cluster'));
    const group = planGroup(this.runtime.ring.view, body, clusterSpec, id);
    await this.registration.check(cluster.id, cluster.state, group);
    const operation = { id: operationId, kind: 'node-group.create', total: group.spec.count };
    const home = { clusterId: cluster.id, projectId: created.projectId };
    return { cluster, declaration: { ...group, ...home, operationId, operation } };
  }

  async resize(meta: RequestMeta, ref: string, clusterRef: string | undefined, body: ResizeBody): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref, clusterRef),
      body,
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId),
      decide: (state, { operationId: id }) => {
        const now = state.spec?.count ?? 0;
        const count = wantedCount(now, body);
        const operation = { id, kind: 'node-group.resize', total: Math.abs(count - now) };
        return resizeNodeGroup(state, count, operation, meta.ifMatch);
      },
    });
  }

  async patch(meta: RequestMeta, ref: string, clusterRef: string | undefined, patch: NodeGroupPatch): Answer {
    const { count, ...others } = patch;
    if (count !== undefined && Object.keys(others).length > 0)
      throw new RefusedError(
        brokenRules([{ pointer: '/count', code: 'change-alone', detail: 'change the count in a request of its own' }]),
      );
    if (count !== undefined) return this.resize(meta, ref, clusterRef, { count });
    return this.commands.change(meta, {
      ...this.target(meta, ref, clusterRef),
      body: patch,
      starts: false,
      check: state => this.isServed(state, patch.conductorGroup),
      decide: s => updateNodeGroup(s, s.spec ? changesOf(s.spec, patch) : {}, meta.ifMatch),
    });
  }

  async remove(meta: RequestMeta, ref: string, clusterRef: string | undefined): Answer {
    return this.commands.change(meta, {
      ...this.target(meta, ref, clusterRef),
      body: { delete: true },
      starts: true,
      check: ({ declared }) => clusterTakesWork(this.models, declared?.clusterId, true),
      decide: (state, { operationId: id }) =>
        deleteNodeGroup(state, id, { id, kind: 'node-group.delete', total: state.members.size }, meta.ifMatch),
    });
  }

  /** What the operation was making is removed again. Answers the position of what was appended. */
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

  private target(
    meta: RequestMeta,
    ref: string,
    clusterRef: string | undefined,
  ): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.find.group(meta, ref, clusterRef)).id };
  }

  private isServed({ declared }: NodeGroupState, group: string | null | undefined): void {
    const cluster = this.models.clusters.get(declared?.clusterId ?? '')?.spec;
    if (group === undefined || !cluster) return;
    const { conductorGroup, driver, driverVersion } = cluster;
    requireDriver(this.runtime.ring.view, group ?? conductorGroup, driver, driverVersion);
  }
}

function changesOf(spec: NodeGroupSpec, patch: NodeGroupPatch): NodeGroupChanges {
  const { labels, minCount, maxCount, conductorGroup } = patch;
  return {
    ...(labels === undefined ? {} : { labels: mergeLabels(spec.labels, labels) }),
    ...(minCount === undefined ? {} : { minCount: minCount ?? 0 }),
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(conductorGroup === undefined ? {} : { conductorGroup }),
  };
}

const made = (
  state: NodeGroupState,
  { operationId }: RequestIds,
  position: number | undefined,
): Positioned<CommandResult> => new Positioned({ resource: shownGroup(state), operationId }, position);

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
