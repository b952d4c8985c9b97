import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import {
  brokenRules,
  cancelClusterOperation,
  createCluster,
  deleteCluster,
  duplicateNames,
  resolveNodeGroupSpec,
  retryClusterTask,
  updateCluster,
  type ClusterChanges,
  type ClusterCreated,
  type ClusterEvent,
  type ClusterSpecification,
  type ClusterState,
  type Decision,
  type GroupDeclaration,
  type NodeGroupInput,
  type Problem,
} from '@stave/domain';
import {
  driverDefaults,
  mayTouch,
  notFoundError,
  Positioned,
  projectOf,
  requestContext,
  requireDriver,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import { clusterFields } from './cluster.document.js';
import type { ClusterModels } from './cluster-models.js';
import { driverProblems } from './driver-problems.js';
import { mergedLabels } from './merged-labels.js';

export interface ClusterInput {
  readonly name?: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly driver?: string;
  readonly conductorGroup?: string;
  readonly network?: ClusterSpecification['network'];
  readonly api?: ClusterSpecification['api'];
  readonly defaults?: ClusterSpecification['defaults'];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly nodeGroups?: readonly NodeGroupInput[];
}

type Answer = Promise<Positioned<CommandResult>>;
type Planned = Omit<ClusterCreated['data'], 'id' | 'operation' | 'projectId'>;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Commands on clusters; each answers with the cluster as accepted. */
export class ClusterCommands {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: ClusterModels,
  ) {}

  async create(meta: RequestMeta, body: ClusterInput): Answer {
    const fresh = this.runtime.newIds();
    const project = projectOf(meta.actor);
    let planned: Planned | undefined;
    const plan = (ids: RequestIds): Planned => (planned ??= this.plan(body, ids));
    const check = async (): Promise<void> => {
      const { name } = plan(fresh);
      const owner = await this.runtime.names.owner(`${project}|cluster`, name);
      if (
        owner &&
        this.models.clusters.get(owner.targetId)?.created &&
        !this.models.clusters.get(owner.targetId)?.deleted
      )
        throw new RefusedError({
          code: 'name-taken',
          kind: 'conflict',
          detail: `the name ${name} is taken`,
          errors: [{ pointer: '/name', code: 'name-taken', detail: `the name ${name} is taken` }],
        });
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const done = repeat ? await this.models.clusters.asAccepted(ids.resourceId, ids.requestId) : undefined;
      if (done) return answer(done.state, ids.operationId, done.position);
      const data = plan(ids);
      const context = requestContext(meta, ids, project, ids.resourceId);
      await this.runtime.names.reserve(
        `${project}|cluster`,
        data.name,
        { targetId: ids.resourceId, targetStream: this.models.clusters.stream(ids.resourceId) },
        context,
      );
      const total = 1 + data.groups.reduce((sum, g) => sum + g.spec.count, 0);
      const operation = { id: ids.operationId, kind: 'cluster.create', total };
      const { state, position } = await this.models.clusters.create(
        ids.resourceId,
        s => s.created !== undefined,
        () => createCluster({ ...data, id: ids.resourceId, projectId: project, operation }),
        context,
      );
      return answer(state, ids.operationId, position);
    });
  }

  async patch(
    meta: RequestMeta,
    ref: string,
    patch: Omit<ClusterChanges, 'conductorGroup'> & {
      readonly conductorGroup?: string | null;
      readonly labels?: Readonly<Record<string, string | null>>;
    },
  ): Answer {
    const { state } = await this.find(meta, ref);
    const { labels, conductorGroup, ...others } = patch;
    // null goes back to the default group
    const group = conductorGroup === undefined ? undefined : (conductorGroup ?? '');
    if (group !== undefined && state.spec)
      requireDriver(this.runtime.ring.view, group, state.spec.driver, state.spec.driverVersion);
    const rest: ClusterChanges = group === undefined ? others : { ...others, conductorGroup: group };
    const changes: ClusterChanges = labels ? { ...rest, labels: mergedLabels(state.spec?.labels ?? {}, labels) } : rest;
    return this.change(meta, ref, patch, s => updateCluster(s, changes, meta.ifMatch), false);
  }

  async remove(meta: RequestMeta, ref: string): Answer {
    return this.change(meta, ref, { delete: true }, (state, ids) => {
      const total = this.models.nodeCounts(state.created?.id ?? '').total + 1;
      return deleteCluster(state, { id: ids.operationId, kind: 'cluster.delete', total }, meta.ifMatch);
    });
  }

  async action(meta: RequestMeta, ref: string, action: string): Answer {
    if (action === 'retry') return this.change(meta, ref, { action }, s => retryClusterTask(s), false);
    throw new RefusedError({ code: 'unknown-action', kind: 'not-found', detail: `clusters have no action ${action}` });
  }

  /** What the operation was creating is removed by an operation of its own. */
  async cancel(meta: RequestMeta, clusterId: string, operationId: string): Promise<number | undefined> {
    const ids = this.runtime.newIds();
    const { state } = await this.models.clusters.load(clusterId);
    const deletion = {
      id: ids.operationId,
      kind: 'cluster.delete',
      total: this.models.nodeCounts(clusterId).total + 1,
    };
    const context = requestContext(meta, ids, state.created?.projectId ?? '', clusterId);
    const { position } = await this.models.clusters.execute(
      clusterId,
      s => cancelClusterOperation(s, operationId, deletion),
      context,
    );
    return position;
  }

  /** By id, or by name in the requester's project; what belongs to others does not exist. */
  async find(meta: RequestMeta, ref: string): Promise<{ readonly id: string; readonly state: ClusterState }> {
    const id = ID.test(ref) ? ref : (await this.runtime.names.owner(`${projectOf(meta.actor)}|cluster`, ref))?.targetId;
    const state = id === undefined ? undefined : (await this.models.clusters.load(id)).state;
    if (id === undefined || !state?.created || state.deleted || !mayTouch(meta.actor, state.created.projectId))
      throw new RefusedError(notFoundError('the cluster'));
    return { id, state };
  }

  private async change(
    meta: RequestMeta,
    ref: string,
    body: unknown,
    decide: (state: ClusterState, ids: RequestIds) => Decision<ClusterEvent>,
    operation = true,
  ): Answer {
    const fresh = this.runtime.newIds();
    const { id, state: found } = await this.find(meta, ref);
    const check = async (): Promise<void> => {
      const decision = decide((await this.models.clusters.load(id)).state, fresh);
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const shown = operation ? ids.operationId : undefined;
      const done = repeat ? await this.models.clusters.asAccepted(id, ids.requestId) : undefined;
      if (done) return answer(done.state, shown, done.position);
      const context = requestContext(
        meta,
        operation ? ids : { requestId: ids.requestId },
        found.created?.projectId ?? '',
        id,
      );
      const { state, position } = await this.models.clusters.execute(id, s => decide(s, ids), context);
      return answer(state, shown, position);
    });
  }

  /** Everything that is missing or wrong at once; then who serves it. */
  private plan(body: ClusterInput, ids: RequestIds): Planned {
    const inputs = body.nodeGroups ?? [];
    const group = body.conductorGroup ?? '';
    const version = body.driver === undefined ? undefined : this.runtime.ring.view.newestFor(group, body.driver);
    const offer =
      body.driver === undefined || version === undefined
        ? undefined
        : requireDriver(this.runtime.ring.view, group, body.driver);
    const defaults = { ...(body.defaults ? { cluster: body.defaults } : {}), ...driverDefaults(offer?.manifest ?? {}) };
    const resolved = inputs.map((input, i) => resolveNodeGroupSpec(input, defaults, `/nodeGroups/${i}`));
    const problems: Problem[] = [
      ...(body.driver === undefined ? [{ pointer: '/driver', code: 'required', detail: 'driver is required' }] : []),
      ...resolved.flatMap(r => (r.ok ? [] : r.problems)),
      ...duplicateNames(inputs, '/nodeGroups'),
      ...(offer ? driverProblems(offer.manifest, body) : []),
    ];
    if (problems.length > 0 || body.driver === undefined) throw new RefusedError(brokenRules(problems));
    const { version: driverVersion } = requireDriver(this.runtime.ring.view, group, body.driver);
    const groups = resolved.flatMap((r, i): GroupDeclaration[] =>
      r.ok ? [{ id: uuidv7(), name: inputs[i]?.name ?? `group-${i + 1}`, spec: r.spec }] : [],
    );
    for (const { spec } of groups)
      if (spec.conductorGroup !== null)
        requireDriver(this.runtime.ring.view, spec.conductorGroup, body.driver, driverVersion);
    const { description, network, api, labels, options, driver } = body;
    const spec: ClusterSpecification = {
      ...(description === undefined ? {} : { description }),
      driver,
      driverVersion,
      conductorGroup: group,
      network: network ?? {},
      api: api ?? {},
      labels: labels ?? {},
      defaults: body.defaults ?? {},
      options: options ?? {},
    };
    return { name: body.name ?? `cluster-${ids.resourceId.slice(-6)}`, spec, groups };
  }
}

function answer(
  state: ClusterState,
  operationId: string | undefined,
  position: number | undefined,
): Positioned<CommandResult> {
  return new Positioned(
    { resource: clusterFields(state) as ResourceDocument, ...(operationId === undefined ? {} : { operationId }) },
    position,
  );
}
