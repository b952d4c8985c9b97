import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import {
  isUuid,
  cancelClusterOperation,
  createCluster,
  deleteCluster,
  updateCluster,
  type ClusterEvent,
  type ClusterState,
  type Decision,
  type OperationStart,
} from '@stave/domain';
import {
  mayTouch,
  notFoundError,
  Positioned,
  projectOf,
  requestContext,
  ResourceCommands,
  type Home,
  type RequestIds,
  type ServiceRuntime,
} from '@stave/platform';
import { v7 as uuidv7 } from 'uuid';
import { ClusterActions, type ClusterActionBody } from './cluster-actions.js';
import { clusterFields } from './cluster.document.js';
import type { ClusterModels } from './cluster-models.js';
import { changesOf, patchProblems, requireServed, type ClusterPatch } from './cluster-patch.js';
import { clusterRequest, type ClusterInput } from './cluster-request.js';
import { planCluster, type PlannedCluster } from './plan-cluster.js';

type Answer = Promise<Positioned<CommandResult>>;

const home = ({ created }: ClusterState): Home => ({
  projectId: created?.projectId ?? '',
  clusterId: created?.id ?? '',
});
const show = (state: ClusterState): ResourceDocument => clusterFields(state) as ResourceDocument;

/** Commands on clusters; each answers with the cluster as accepted. */
export class ClusterCommands {
  private readonly commands: ResourceCommands<ClusterState>;
  private readonly actions: ClusterActions;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: ClusterModels,
  ) {
    this.commands = new ResourceCommands(runtime, { model: models.clusters, home, show });
    this.actions = new ClusterActions(runtime, models, this.commands);
  }

  async create(meta: RequestMeta, body: ClusterInput): Answer {
    const fresh = this.runtime.newIds();
    const project = projectOf(meta.actor);
    let planned: PlannedCluster | undefined;
    const plan = ({ resourceId: cluster }: RequestIds): PlannedCluster => {
      const request = clusterRequest(body, { groups: [] });
      return (planned ??= planCluster(this.runtime.ring.view, body.name, request, { cluster, group: uuidv7 }));
    };
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
    const { view } = this.runtime.ring;
    const decide = (s: ClusterState, { operationId: id }: RequestIds): Decision<ClusterEvent> => {
      const changes = s.spec ? changesOf(s.spec, patch) : {};
      return updateCluster(s, changes, {
        operation: { id, kind: 'cluster.update', total: 1 },
        problems: patchProblems(view, changes),
        ...(meta.ifMatch === undefined ? {} : { ifMatch: meta.ifMatch }),
      });
    };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: patch,
      starts: true,
      check: (state, ids) => {
        if (state.spec && decide(state, ids).ok) requireServed(view, state.spec, patch);
      },
      decide,
    });
  }

  async remove(meta: RequestMeta, ref: string, force: boolean): Answer {
    const terms = { force, ...(meta.ifMatch === undefined ? {} : { ifMatch: meta.ifMatch }) };
    return this.commands.change(meta, {
      ...this.target(meta, ref),
      body: force ? { delete: true, force } : { delete: true },
      starts: true,
      decide: (s, ids) => deleteCluster(s, this.deletion(ids), terms),
    });
  }

  async action(meta: RequestMeta, ref: string, body: ClusterActionBody): Answer {
    return this.actions.perform(meta, this.target(meta, ref).find, body);
  }

  /** What the operation was creating is removed by an operation of its own, what it changes stops. Answers the position of what was appended. */
  async cancel(meta: RequestMeta, clusterId: string, operationId: string): Promise<number | undefined> {
    const answer = await this.commands.change(meta, {
      find: () => Promise.resolve(clusterId),
      body: { cancel: operationId },
      starts: true,
      partOf: operationId,
      decide: (s, ids) => cancelClusterOperation(s, operationId, this.deletion(ids)),
    });
    return answer.position;
  }

  /** By id, or by name in the requester's project; what belongs to others does not exist. */
  async find(meta: RequestMeta, ref: string): Promise<{ readonly id: string; readonly state: ClusterState }> {
    const id = isUuid(ref) ? ref : (await this.runtime.names.owner(`${projectOf(meta.actor)}|cluster`, ref))?.targetId;
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

  private target(meta: RequestMeta, ref: string): { readonly find: () => Promise<string> } {
    return { find: async () => (await this.find(meta, ref)).id };
  }

  private deletion({ resourceId, operationId }: RequestIds): OperationStart {
    return { id: operationId, kind: 'cluster.delete', total: this.models.nodeCounts(resourceId).total + 1 };
  }
}
