import { staleSubject } from '@stave/contracts';
import { accept, reconcileCluster } from '@stave/domain';
import {
  ReconcileQueue,
  hostService,
  operationController,
  ServiceRuntime,
  TaskBoard,
  taskController,
  type RunningService,
  type ServicePorts,
  LABEL_PAIRS,
  NAME_KEY,
  listIndexes,
} from '@stave/service-kit';
import { EventPublisher, type PublicationLog } from '@stave/platform';
import { accessController } from './access/access.controllers.js';
import { AccessKeys } from './access/access-keys.js';
import { projectHistory } from './access/project-history.js';
import { Projects } from './access/projects.js';
import { ClusterCommands } from './clusters/cluster.commands.js';
import { ClusterCreation } from './clusters/cluster.creation.js';
import { clusterController } from './clusters/cluster.controller.js';
import { clusterDocument } from './clusters/cluster.document.js';
import { clusterHistory } from './clusters/cluster-history.js';
import { ClusterModels } from './clusters/cluster-models.js';
import { describePlans } from './clusters/cluster-plans.js';
import { clusterTasks } from './clusters/cluster-tasks.js';
import { installationId } from './installation.js';
import { createRing } from './ring/create-ring.js';
import { ResourcePlaces } from './ring/resource-places.js';
import { createTemplates } from './templates/create-templates.js';

export interface ClusterServiceOptions {
  /** The first administrator's key; registered (hashed) when it is not. */
  readonly administratorKey?: string;
  readonly heartbeatMs?: number;
  readonly sessionTimeoutMs?: number;
  /** Where the elected replica publishes events; closed with the service. Absent: nowhere (embedded). */
  readonly publication?: PublicationLog;
}

const prefixes = [
  'cluster-',
  'clusterGroups-',
  'nodeGroup-',
  'node-',
  'placement-',
  'container-',
  'conductorRing',
  'project-',
  'apiKey-',
  'clusterTemplate-',
  'nodeGroupTemplate-',
];

/** Clusters, projects, API keys and the membership of conductors. */
export async function createClusterService(
  ports: ServicePorts,
  options: ClusterServiceOptions = {},
): Promise<RunningService> {
  const { eventStore, log, messaging } = ports;
  const installation = await installationId(eventStore);
  const runtime = new ServiceRuntime({
    ...ports,
    service: 'cluster-service',
    operationIdPrefix: 'c',
    streamPrefixes: prefixes,
  });
  const models = new ClusterModels(eventStore);
  const keys = new AccessKeys(eventStore, runtime);
  const projects = new Projects(eventStore, runtime);
  const onStale = (report: { readonly taskId: string; readonly conductor: string }): void => {
    log.warn({ taskId: report.taskId, conductor: report.conductor }, 'stale report refused');
    messaging.publish(staleSubject, { conductor: report.conductor });
  };
  const board = new TaskBoard(clusterTasks(models.clusters), { messaging, ring: runtime.ring, onStale });
  const queue = new ReconcileQueue({
    work: async id => settle(id),
    concurrency: 16,
    onError: (id, err) => log.warn({ err, id }, 'reconciliation failed, will repeat'),
  });

  const settle = async (id: string): Promise<void> => {
    const cluster = models.clusters.get(id);
    if (!cluster?.created) return;
    const { projectId, name } = cluster.created;
    const operationId = cluster.operations.at(-1)?.id;
    const context = {
      correlationId: operationId ?? id,
      project: projectId,
      clusterId: id,
      ...(operationId === undefined ? {} : { operationId }),
    };
    const { state } = await models.clusters.settle(
      id,
      s => accept(...reconcileCluster(s, models.surroundings(id))),
      context,
    );
    if (state.deleted) await runtime.names.release(`${projectId}|cluster`, name, id, context);
  };

  const { sources, controllers: templates } = createTemplates(runtime, models);
  runtime.folds('models', models);
  models.follow(runtime, id => {
    runtime.mark('clusters', id);
    board.update(id);
    queue.mark(id);
  });
  runtime.addReadModel({
    name: 'clusters',
    indexes: listIndexes({
      sorts: [NAME_KEY, 'updatedAt', 'status', 'health'],
      filters: ['status', LABEL_PAIRS, 'driver'],
    }),
    document: id => clusterDocument(models, id),
    all: function* () {
      for (const [id, entry] of models.clusters.all())
        yield [id, Math.max(entry.position, models.latestChildPosition(id))] as const;
    },
  });
  runtime.addQueue(queue, {
    ids: () => models.clusters.ids(),
    look: id => models.clusters.get(id)?.deleted || queue.mark(id),
  });
  const { publication } = options;
  if (publication) runtime.addLeaderTask(new EventPublisher({ eventStore, publication, log }));

  describePlans(runtime, models);
  const commands = new ClusterCommands(runtime, models, new ClusterCreation(runtime, models, sources));
  const { heartbeatMs = 2_000, sessionTimeoutMs = 8_000 } = options;
  const places = new ResourcePlaces(runtime, models);
  const ring = createRing(runtime, { installation, heartbeatMs, sessionTimeoutMs }, id => places.of(id));
  const service = await hostService('cluster-service', runtime, [
    clusterController(runtime, commands),
    clusterHistory(runtime, models, commands),
    projectHistory(runtime, projects),
    accessController(runtime, keys, projects),
    ...templates,
    ring,
    operationController('cluster-service', runtime, (request, operation) =>
      commands.cancel(request.meta, operation.target.id, operation.id),
    ),
    taskController('cluster-service', runtime, board, async unit => {
      const known = models.clusters.get(unit.resourceId);
      if (known?.created && !known.deleted) return 'live';
      const { state, streamRevision } = await models.clusters.load(unit.resourceId);
      return streamRevision < 0 || !state.created ? 'never' : state.deleted ? 'gone' : 'live';
    }),
  ]);
  await projects.ensureDefault();
  if (options.administratorKey !== undefined) await keys.ensureAdministrator(options.administratorKey);
  return {
    close: async () => {
      await service.close();
      await publication?.close();
    },
  };
}
