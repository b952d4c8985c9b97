import { staleSubject, type OrphanVerdictRequest } from '@stave/contracts';
import {
  ReconcileQueue,
  healthController,
  HealthReports,
  hostService,
  NodeGroupSources,
  operationController,
  requiresManager,
  ServiceRuntime,
  TaskBoard,
  taskController,
  type RunningService,
  type ServicePorts,
  LABEL_PAIRS,
  NAME_KEY,
  listIndexes,
} from '@stave/service-kit';
import { classifyNodeUnit, expectedNodeUnit, observeNode } from '@stave/domain';
import { ResourceLookup } from './resource-lookup.js';
import { NodeCommands } from './nodes/node.commands.js';
import { NodeGroupCommands } from './node-groups/node-group.commands.js';
import { NodeGroupCreation } from './node-groups/node-group.creation.js';
import { nodeDocument, nodePosition } from './nodes/node.document.js';
import { nodeGroupDocument, nodeGroupPosition } from './node-groups/node-group.document.js';
import { nodeController, nodeGroupController } from './node-groups/node-group.controller.js';
import { nodeGroupHistories } from './nodegroup-history.js';
import { NodeGroupModels, eventsAffectingChildren } from './nodegroup-models.js';
import { describePlans } from './node-groups/node-group-plans.js';
import { nodeTasks, placeOfNode } from './nodes/node-tasks.js';
import { NodeUsages } from './nodes/node-usage.js';
import { ClusterReconciler } from './node-groups/cluster-reconciler.js';
import { EvictionReconciler } from './nodes/eviction-reconciler.js';
import { GroupRegistration } from './node-groups/node-group-registry.js';
import { NodeGroupReconciler } from './node-groups/node-group-reconciler.js';

/** NodeGroup and Node: commands, work for conductors, read models and reconciliation. */
export async function createNodeGroupService(ports: ServicePorts): Promise<RunningService> {
  const runtime = new ServiceRuntime({
    ...ports,
    service: 'nodegroup-service',
    operationIdPrefix: 'n',
  });
  const { log } = ports;
  const models = new NodeGroupModels(ports.eventStore);
  const source = nodeTasks(models, (driver, version) => requiresManager(runtime.ring.view, driver, version));
  const onStale = ({ taskId, conductor }: { readonly taskId: string; readonly conductor: string }): void => {
    log.warn({ taskId, conductor }, 'stale report refused');
    ports.messaging.publish(staleSubject, { conductor });
  };
  const board = new TaskBoard(source, { messaging: ports.messaging, ring: runtime.ring, onStale });

  const health = new HealthReports(
    {
      ...source,
      // what is lost while its cluster is paused is told all the same
      place: (_id, state) => placeOfNode(models, state),
      observe: observeNode,
      expected: (resourceId, state) => {
        const seen = expectedNodeUnit(state);
        return seen && { resourceId, generation: state.generation, built: state.builtGeneration, seen };
      },
    },
    runtime.ring,
  );

  const onError = (id: string, err: unknown): void => log.warn({ err, id }, 'reconciliation failed, will repeat');
  const groupReconciler = new NodeGroupReconciler(models);
  const registration = new GroupRegistration(models, ports.eventStore);
  const follower = new ClusterReconciler(models, registration);
  const groups = new ReconcileQueue({ work: id => groupReconciler.reconcile(id), concurrency: 16, onError });
  const clusters = new ReconcileQueue({ work: id => follower.reconcile(id), concurrency: 16, onError });
  const evictions = new EvictionReconciler(models, onError);

  runtime.addReadModel({
    name: 'nodeGroups',
    version: 2,
    indexes: listIndexes({
      sorts: [NAME_KEY, 'updatedAt', 'status'],
      filters: ['clusterId', 'status', LABEL_PAIRS],
    }),
    document: id => nodeGroupDocument(models, id),
    all: function* () {
      for (const [id] of models.groups.all()) yield [id, nodeGroupPosition(models, id)] as const;
    },
  });
  runtime.addReadModel({
    name: 'nodes',
    version: 2,
    indexes: listIndexes({
      sorts: [NAME_KEY, 'updatedAt', 'status'],
      filters: ['clusterId', 'nodeGroupId', 'status', 'zone', LABEL_PAIRS],
    }),
    document: id => nodeDocument(models, id),
    all: function* () {
      for (const [id] of models.nodes.all()) yield [id, nodePosition(models, id)] as const;
    },
  });

  const touchNodesOf = (groupId: string): void => {
    for (const nodeId of models.groups.get(groupId)?.members.keys() ?? []) {
      board.update(nodeId);
      runtime.mark('nodes', nodeId);
    }
  };
  /** Whether there is a manager to join may be another answer now. */
  const touchWorkersIn = (clusterId = ''): void => {
    for (const groupId of models.groupsOf(clusterId))
      for (const nodeId of models.groups.get(groupId)?.members.keys() ?? []) board.update(nodeId);
  };
  runtime.folds('models', models);
  models.follow(runtime, {
    cluster: (id, event) => {
      clusters.mark(id);
      if (!eventsAffectingChildren.has(event.type) && event.type !== 'TaskCompleted') return;
      for (const groupId of models.groupsOf(id)) {
        runtime.mark('nodeGroups', groupId);
        groups.mark(groupId);
        touchNodesOf(groupId);
      }
    },
    group: (id, event) => {
      runtime.mark('nodeGroups', id);
      groups.mark(id);
      if (event.type === 'NodeGroupUpdated') touchNodesOf(id);
      if (models.groups.get(id)?.spec?.role === 'manager') touchWorkersIn(models.groups.get(id)?.declared?.clusterId);
      const clusterId = models.groups.get(id)?.declared?.clusterId;
      const tells = event.type === 'NodeGroupDeleted' || event.type === 'NodeGroupDegraded';
      const waits = models.clusters.get(clusterId ?? '')?.rollout !== undefined;
      if ((tells || waits) && clusterId !== undefined) clusters.mark(clusterId);
    },
    node: (id, event) => {
      runtime.mark('nodes', id);
      board.update(id);
      const clusterId = models.nodes.get(id)?.declared?.clusterId;
      if (event.type === 'NodeBecameActive' && models.nodes.get(id)?.declared?.spec.role === 'manager')
        touchWorkersIn(clusterId);
      const groupId = models.nodes.get(id)?.declared?.nodeGroupId;
      if (groupId !== undefined) {
        runtime.mark('nodeGroups', groupId);
        groups.mark(groupId);
      }
      evictions.look(id);
    },
  });
  runtime.addQueue(groups, {
    ids: () => models.groups.ids(),
    check: id => models.groups.get(id)?.deleted || groups.mark(id),
  });
  runtime.addQueue(clusters, {
    ids: () => models.clusters.ids(),
    check: id => models.clusters.get(id)?.deleted || clusters.mark(id),
  });
  runtime.addQueue(evictions.queue, () => evictions.resync());

  describePlans(runtime.plans, models);
  const find = new ResourceLookup(models, () => runtime.feed.caughtUp());
  const sources = new NodeGroupSources(models, () => runtime.feed.caughtUp());
  const creation = new NodeGroupCreation(runtime, models, find, registration, sources);
  const groupCommands = new NodeGroupCommands(runtime, models, find, creation);
  const nodeCommands = new NodeCommands(runtime, models, find);
  const usages = new NodeUsages(id => models.nodes.get(id)?.deleted === false);
  const heard = usages.listen(ports.messaging);
  const running = await hostService('nodegroup-service', runtime, [
    nodeGroupController(runtime, groupCommands, find),
    nodeController(runtime, nodeCommands, find, usages),
    ...nodeGroupHistories(runtime, models, find),
    operationController('nodegroup-service', runtime, ({ meta }, operation) =>
      operation.target.type === 'node' ? nodeCommands.cancel(meta, operation) : groupCommands.cancel(meta, operation),
    ),
    healthController('nodegroup-service', health),
    taskController('nodegroup-service', runtime, board, unit => classifyNode(models, unit)),
  ]);
  return {
    close: async () => {
      await heard.close();
      await running.close();
    },
  };
}

/** What this process knows to live is kept, whatever came since; else by the log as it is now. What is no node is kept. */
async function classifyNode(
  models: NodeGroupModels,
  { resourceId, kind, generation }: OrphanVerdictRequest['units'][number],
): Promise<'live' | 'gone' | 'never'> {
  if (kind !== 'node') return 'live';
  const known = models.nodes.get(resourceId);
  if (known && classifyNodeUnit(known, generation) === 'live') return 'live';
  return classifyNodeUnit((await models.nodes.load(resourceId)).state, generation);
}
