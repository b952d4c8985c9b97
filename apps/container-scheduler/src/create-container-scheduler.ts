import { staleSubject } from '@stave/contracts';
import { planContainer, type ContainerProfileState, type ContainerState } from '@stave/domain';
import {
  ReconcileQueue,
  healthController,
  HealthReports,
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
import { ContainerCommands, CONTAINER_NAMES } from './containers/container.commands.js';
import { ResourceLookup } from './resource-lookup.js';
import { ProfileCommands } from './profiles/profile.commands.js';
import { ContainerCalls } from './container-calls.js';
import { containerController, profileController } from './containers/container.controller.js';
import { containerTasks, workContext } from './containers/container-tasks.js';
import { containerDocument, containerFields } from './containers/container.document.js';
import { profileDocument, profileFields } from './profiles/profile.document.js';
import { follow } from './placement/follow.js';
import { containerHealth } from './containers/container-health.js';
import { classifyContainer } from './containers/classify-container.js';
import { ClusterReconciler } from './placement/cluster-reconciler.js';
import { schedulerHistories } from './scheduler-history.js';
import { SchedulerModels } from './scheduler-models.js';

const SERVICE = 'container-scheduler';
export interface ContainerSchedulerOptions {
  /** Milliseconds until a look at a cluster that failed is repeated. */
  readonly retryMs?: number;
}

/** ContainerProfile and Container: commands, placement, work for conductors, eviction, read models. */
export async function createContainerScheduler(
  ports: ServicePorts,
  options: ContainerSchedulerOptions = {},
): Promise<RunningService> {
  const { log, messaging, eventStore } = ports;
  const runtime = new ServiceRuntime({ ...ports, service: SERVICE, operationIdPrefix: 's' });
  const models = new SchedulerModels(eventStore);
  const onStale = ({ taskId, conductor }: { readonly taskId: string; readonly conductor: string }): void => {
    log.warn({ taskId, conductor }, 'stale report refused');
    messaging.publish(staleSubject, { conductor });
  };
  const health = new HealthReports(containerHealth(models), runtime.ring);
  const board = new TaskBoard(containerTasks(models), { messaging, ring: runtime.ring, onStale });

  const { retryMs = 500 } = options;
  const onError = (id: string, err: unknown): void => log.warn({ err, id }, 'reconciliation failed, will repeat');
  const reconciler = new ClusterReconciler(models);
  const clusters = new ReconcileQueue({ work: id => reconciler.reconcile(id), concurrency: 8, onError, retryMs });
  const freedNames = new ReconcileQueue({
    work: id => freeName(runtime, models, id),
    concurrency: 16,
    onError,
    retryMs,
  });
  addReadModels(runtime, models);
  follow(runtime, models, { board, clusters, freedNames });
  runtime.addQueue(clusters, {
    ids: () => models.clusters.ids(),
    check: id => {
      const state = models.clusters.get(id);
      if (state && !state.deleted && reconciler.isUnsettled(id, state)) clusters.mark(id);
    },
  });
  // a name whose container is deleted counts as free anyway: nothing to look for
  runtime.addQueue(freedNames, () => undefined);

  runtime.plans.describe<ContainerState>('container', {
    type: 'container',
    show: state => (state.declared && !state.deleted ? containerFields(state) : undefined),
    steps: planContainer,
  });
  runtime.plans.describe<ContainerProfileState>('containerProfile', {
    type: 'containerProfile',
    show: state => (state.created && !state.deleted ? profileFields(state) : undefined),
  });
  const find = new ResourceLookup(models, () => runtime.feed.caughtUp());
  const commands = new ContainerCommands(runtime, models, find);
  const calls = new ContainerCalls(models, find, messaging, runtime.ring);
  return hostService(SERVICE, runtime, [
    profileController(runtime, new ProfileCommands(runtime, models, find), find),
    containerController(runtime, commands, calls, find),
    ...schedulerHistories(runtime, models, find),
    operationController(SERVICE, runtime, ({ meta }, { id, target }) => commands.cancel(meta, target.id, id)),
    healthController(SERVICE, health),
    taskController(SERVICE, runtime, board, unit => classifyContainer(models, unit)),
  ]);
}

function addReadModels(runtime: ServiceRuntime, models: SchedulerModels): void {
  runtime.addReadModel({
    name: 'containerProfiles',
    indexes: listIndexes({ sorts: [NAME_KEY], filters: [LABEL_PAIRS] }),
    document: id => profileDocument(models, id),
    all: function* () {
      for (const [id, { position }] of models.profiles.all()) yield [id, position] as const;
    },
  });
  runtime.addReadModel({
    name: 'containers',
    indexes: listIndexes({
      sorts: [NAME_KEY, 'updatedAt', 'status'],
      filters: ['clusterId', 'nodeId', 'profileId', 'status', LABEL_PAIRS],
    }),
    document: id => containerDocument(models, id),
    all: function* () {
      for (const [id, { position }] of models.containers.all()) yield [id, position] as const;
    },
  });
}

async function freeName(runtime: ServiceRuntime, models: SchedulerModels, id: string): Promise<void> {
  const state = models.containers.get(id);
  if (!state?.declared || !state.deleted) return;
  const { name, projectId } = state.declared;
  await runtime.names.release(`${projectId}|${CONTAINER_NAMES}`, name, id, workContext(state));
}
