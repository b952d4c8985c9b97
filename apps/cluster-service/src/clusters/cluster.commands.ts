import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import {
  cancelClusterOperation,
  createCluster,
  deleteCluster,
  mergeLabels,
  retryClusterTask,
  updateCluster,
  type ClusterChanges,
  type ClusterEvent,
  type ClusterState,
  type Decision,
} from '@stave/domain';
import {
  mayTouch,
  notFoundError,
  Positioned,
  projectOf,
  requestContext,
  requireDriver,
  ResourceCommands,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/platform';
import { clusterFields } from './cluster.document.js';
import type { ClusterModels } from './cluster-models.js';
import { planCluster, type ClusterInput, type PlannedCluster } from './plan-cluster.js';

type Answer = Promise<Positioned<CommandResult>>;

/** A merge patch: null goes back to the default group, and takes a label away. */
export type ClusterPatch = Omit<ClusterChanges, 'conductorGroup' | 'labels'> & {
  readonly conductorGroup?: string | null;
  readonly labels?: Readonly<Record<string, string | null>>;
};

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const show = (state: ClusterState): ResourceDocument => clusterFields(state) as ResourceDocument;

/** Commands on clusters; each answers with the cluster as accepted. */
export class ClusterCommands {
  private readonly commands: ResourceCommands<ClusterState>;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: ClusterModels,
  ) {
    this.commands = new ResourceCommands(runtime, { model: models.clusters, show });
  }

  async create(meta: RequestMeta, body: ClusterInput): Answer {
    const fresh = this.runtime.newIds();
    const project = projectOf(meta.actor);
    let planned: PlannedCluster | undefined;
    const plan = (ids: RequestIds): PlannedCluster =>
      (planned ??= planCluster(this.runtime.ring.view, body, `cluster-${ids.resourceId.slice(-6)}`));
    const check = (): Promise<void> => this.nameIsFree(project, plan(fresh).name);
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const { clusters } = this.models;
      const { resourceId: id, operationId } = ids;
      const done = repeat ? await clusters.asAccepted(id, ids.requestId) : undefined;
      if (done) return new Positioned({ resource: show(done.state), operationId }, done.position);
      const data = plan(ids);
      const context = requestContext(meta, ids, project, id);
      const owner = { targetId: id, targetStream: clusters.stream(id) };
      await this.runtime.names.reserve(`${project}|cluster`, data.name, owner, context);
      const total = 1 + data.groups.reduce((sum, g) => sum + g.spec.count, 0);
      const operation = { id: operationId, kind: 'cluster.create', total };
      const { state, position } = await clusters.create(
        id,
        s => s.created !== undefined,
        () => createCluster({ ...data, id, projectId: project, operation }),
        context,
      );
      return new Positioned({ resource: show(state), operationId }, position);
    });
  }

  async patch(meta: RequestMeta, ref: string, patch: ClusterPatch): Answer {
    const { state } = await this.find(meta, ref);
    const { labels, conductorGroup, ...others } = patch;
    const group = conductorGroup === undefined ? undefined : (conductorGroup ?? '');
    if (group !== undefined && state.spec)
      requireDriver(this.runtime.ring.view, group, state.spec.driver, state.spec.driverVersion);
    const changes: ClusterChanges = group === undefined ? others : { ...others, conductorGroup: group };
    const merged = (s: ClusterState): ClusterChanges =>
      labels ? { ...changes, labels: mergeLabels(s.spec?.labels ?? {}, labels) } : changes;
    return this.change(meta, ref, patch, s => updateCluster(s, merged(s), meta.ifMatch), false);
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
    const total = this.models.nodeCounts(clusterId).total + 1;
    const deletion = { id: ids.operationId, kind: 'cluster.delete', total };
    const context = requestContext(meta, ids, state.created?.projectId ?? '', clusterId);
    const decide = (s: ClusterState): Decision<ClusterEvent> => cancelClusterOperation(s, operationId, deletion);
    return (await this.models.clusters.execute(clusterId, decide, context)).position;
  }

  /** By id, or by name in the requester's project; what belongs to others does not exist. */
  async find(meta: RequestMeta, ref: string): Promise<{ readonly id: string; readonly state: ClusterState }> {
    const id = ID.test(ref) ? ref : (await this.runtime.names.owner(`${projectOf(meta.actor)}|cluster`, ref))?.targetId;
    const state = id === undefined ? undefined : (await this.models.clusters.load(id)).state;
    if (id === undefined || !state?.created || state.deleted || !mayTouch(meta.actor, state.created.projectId))
      throw new RefusedError(notFoundError('the cluster'));
    return { id, state };
  }

  private async nameIsFree(project: string, name: string): Promise<void> {
    const owner = await this.runtime.names.owner(`${project}|cluster`, name);
    if (!owner) return;
    const { state: holder } = await this.models.clusters.load(owner.targetId);
    if (!holder.created || holder.deleted) return;
    const detail = `the name ${name} is taken`;
    const errors = [{ pointer: '/name', code: 'name-taken', detail }];
    throw new RefusedError({ code: 'name-taken', kind: 'conflict', detail, errors });
  }

  private async change(
    meta: RequestMeta,
    ref: string,
    body: unknown,
    decide: (state: ClusterState, ids: RequestIds) => Decision<ClusterEvent>,
    starts = true,
  ): Answer {
    const { id, state } = await this.find(meta, ref);
    const home = { projectId: state.created?.projectId ?? '', clusterId: id };
    return this.commands.change(meta, { id, body, home, starts, decide });
  }
}
