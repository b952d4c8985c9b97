import { RefusedError, type CommandResult, type RequestMeta } from '@stave/contracts';
import {
  createNodeGroup,
  notFound,
  clusterWorkRefusal,
  pausedRefusal,
  type ClusterSpecification,
  type ClusterState,
  type GroupDeclaration,
  type NodeGroupDeclaration,
  type NodeGroupState,
} from '@stave/domain';
import {
  ReplyWithPosition,
  RefusedReferences,
  requestContext,
  type AcceptedRequest,
  type Named,
  type NodeGroupSources,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/service-kit';
import { shownGroup } from './node-group.document.js';
import type { NodeGroupModels } from '../nodegroup-models.js';
import type { GroupRegistration } from './node-group-registry.js';
import type { ResourceLookup } from '../resource-lookup.js';
import { resolveNodeGroupRequest, type NodeGroupInput } from './resolve-node-group-request.js';

/** The cluster that a group is to be in. */
interface Parent extends Named<ClusterState> {
  readonly spec: ClusterSpecification;
  readonly projectId: string;
}

interface Planned {
  readonly cluster: Parent;
  readonly group: GroupDeclaration;
}

/** Creates node groups in clusters that exist: from attributes, a template, another group, or a mix. */
export class NodeGroupCreation {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: NodeGroupModels,
    private readonly find: ResourceLookup,
    private readonly registration: GroupRegistration,
    private readonly sources: NodeGroupSources,
  ) {}

  /** A repeat answers as the first did, whatever became of the source: what that gave is remembered with the request. */
  async run(meta: RequestMeta, body: NodeGroupInput): Promise<ReplyWithPosition<CommandResult>> {
    const fresh = this.runtime.newIds(meta);
    let planned: Planned | undefined;
    return this.runtime.ledger.first(
      meta,
      body,
      async (ids, repeat) => {
        // what was planned here is of this request's own ids; a repeat has those of the first
        if (!repeat && planned) return this.create(meta, ids, planned);
        const done = await this.models.groups.asAccepted(ids.resourceId, ids.requestId);
        if (done) return made(done.state, ids, done.position);
        return this.create(meta, ids, await this.plan(meta, body, ids));
      },
      async () => {
        planned = await this.plan(meta, body, fresh);
        return body.from ? { ...fresh, plan: planned.group } : fresh;
      },
    );
  }

  /** What the request comes to, or came to when it was remembered. Throws RefusedError when that cannot be. */
  async plan(meta: RequestMeta, body: NodeGroupInput, ids: AcceptedRequest): Promise<Planned> {
    const cluster = await this.parent(meta, body.clusterId);
    const remembered = ids.plan as GroupDeclaration | undefined;
    if (remembered) return { cluster, group: remembered };
    const refused = new RefusedReferences();
    const source = body.from && this.sources.of(meta.actor, body.from, '/from', cluster.id);
    const from = source && (await refused.collect(source));
    const group = refused.with(() =>
      resolveNodeGroupRequest(this.runtime.ring.view, body, cluster.spec, ids.resourceId, from),
    );
    await this.registration.check(cluster.id, cluster.state, group);
    return { cluster, group };
  }

  private async create(
    meta: RequestMeta,
    ids: AcceptedRequest,
    { cluster, group }: Planned,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const declaration = declarationOf(group, cluster, ids);
    const context = requestContext(meta, ids, cluster.projectId, cluster.id);
    await this.registration.register(cluster.id, cluster.state, declaration, context);
    const { state, position } = await this.models.groups.create(
      declaration.id,
      s => s.declared !== undefined,
      () => createNodeGroup(declaration),
      context,
    );
    return made(state, ids, position);
  }

  /** Throws RefusedError when it takes no groups. */
  private async parent(meta: RequestMeta, ref: string): Promise<Parent> {
    const cluster = await this.find.cluster(meta, ref);
    const { created, spec } = cluster.state;
    const refusal = clusterWorkRefusal(cluster.state) ?? pausedRefusal(cluster.state);
    if (!created || !spec || refusal) throw new RefusedError(refusal ?? notFound('the cluster'));
    return { ...cluster, spec, projectId: created.projectId };
  }
}

function declarationOf(
  group: GroupDeclaration,
  { id: clusterId, projectId }: Parent,
  { operationId }: RequestIds,
): NodeGroupDeclaration {
  const operation = { id: operationId, kind: 'node-group.create', total: group.spec.count };
  return { ...group, clusterId, projectId, operationId, operation };
}

const made = (
  state: NodeGroupState,
  { operationId }: RequestIds,
  position: number | undefined,
): ReplyWithPosition<CommandResult> => new ReplyWithPosition({ resource: shownGroup(state), operationId }, position);
