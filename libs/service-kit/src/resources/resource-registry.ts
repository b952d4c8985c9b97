import { staleSubject, type ReportRequest, type RequestMeta, type ResourceName } from '@stave/contracts';
import type { EventStore, Logger, Messaging, RecordedEvent } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import type { HistoryTimes } from '../history/history-times.js';
import type { PastState } from '../history/history-queries.js';
import type { OperationRecord } from '../operations/operation-tracker.js';
import type { DryRunHandler } from '../plans/dry-run-handler.js';
import type { ReadModels } from '../read-models/read-models.js';
import { ReconcileQueue } from '../reconcile/reconcile-queue.js';
import type { ReconcileQueues } from '../reconcile/reconcile-queues.js';
import type { RingFollower } from '../ring/ring-follower.js';
import type { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { HealthReports } from '../work/health-reports.js';
import type { ClassifyUnit } from '../work/orphan-log.js';
import { TaskBoard } from '../work/task-board.js';
import type { Projection, ResourceChanged } from './projection.js';
import { Resource } from './resource.js';
import type { ReconcileDeclaration, ResourceConnections, ResourceType } from './resource-definition.js';
import type { ResourceModel } from './resource-model.js';

export interface ResourceRegistryParts {
  readonly events: EventStore;
  readonly messaging: Messaging;
  readonly log: Logger;
  readonly feed: Feed;
  readonly snapshots: ServiceSnapshots;
  readonly readModels: ReadModels;
  readonly times: HistoryTimes;
  readonly ring: RingFollower;
  readonly plans: DryRunHandler;
  readonly queues: ReconcileQueues;
}

type Cancel = (meta: RequestMeta, operation: OperationRecord) => Promise<number | undefined>;

/** What conductors ask of the resource type of a service whose work they do. */
export interface Workload {
  readonly board: Pick<TaskBoard<unknown>, 'claim' | 'report'>;
  readonly classify: ClassifyUnit;
}

/** Connects the resource types of a service with everything that follows from their definitions. */
export class ResourceRegistry {
  private readonly listeners = new Map<ResourceName, ResourceListener[]>();
  private readonly cancels = new Map<string, Cancel>();
  private readonly followed = new Set<Projection>();
  private work: Workload | undefined;
  private healthReports: Pick<HealthReports<unknown>, 'expected' | 'observed'> | undefined;

  constructor(private readonly parts: ResourceRegistryParts) {}

  /** Connects a resource type; to be called before the service starts. Throws RangeError for a second one with tasks. */
  register<S extends PastState, P extends Projection>(
    definition: ResourceType<S, P>,
    projection: P,
    connections: ResourceConnections<S>,
  ): Resource<S, P> {
    const { readModels, plans } = this.parts;
    const { name, readModel, fields } = definition;
    const model = definition.model(projection);
    const resource = new Resource(definition, projection, connections, this.parts);
    readModels.add(resource.readModelDefinition());
    this.on(name, id => readModels.mark(readModel.name, id));
    plans.describe<S>(model.category, { type: model.category, show: fields, ...connections.plan });
    if (connections.cancel) this.cancels.set(model.category, connections.cancel);
    this.connectWork(name, connections);
    if (connections.reconcile) this.reconcile(name, model, connections.reconcile);
    this.follow(projection);
    return resource;
  }

  /** Calls the listener for each change of a resource of this type; also for types of other services that a projection reports. */
  on(name: ResourceName, listener: ResourceListener): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /** Reports a change to everything that follows the resource: read model, task board, reconcile queue, listeners. */
  readonly changed: ResourceChanged = (name, id, event) => {
    for (const listener of this.listeners.get(name) ?? []) listener(id, event);
  };

  /** Cancels an operation on a resource of this service. Throws RangeError when its type has no operations. */
  cancel(meta: RequestMeta, operation: OperationRecord): Promise<number | undefined> {
    const cancel = this.cancels.get(operation.target.type);
    if (!cancel) throw new RangeError(`operations on ${operation.target.type} cannot be cancelled`);
    return cancel(meta, operation);
  }

  /** Undefined for a service without work for conductors. */
  get workload(): Workload | undefined {
    return this.work;
  }

  /** Undefined for a service whose resources have no health. */
  get health(): Pick<HealthReports<unknown>, 'expected' | 'observed'> | undefined {
    return this.healthReports;
  }

  private connectWork<S extends PastState>(name: ResourceName, { tasks, health }: ResourceConnections<S>): void {
    const { messaging, ring, log } = this.parts;
    if (health) this.healthReports = new HealthReports(health, ring);
    if (!tasks) return;
    if (this.work) throw new RangeError(`${name} is the second resource type with tasks in one service`);
    const onStale = ({ taskId, conductor }: ReportRequest): void => {
      log.warn({ taskId, conductor }, 'stale report refused');
      messaging.publish(staleSubject, { conductor });
    };
    const board = new TaskBoard(tasks.source, { messaging, ring, onStale });
    this.on(name, id => board.update(id));
    this.work = { board, classify: tasks.classify };
  }

  /** Reconciles resources of a type, also of one that another service owns: after each change, and from time to time. */
  reconcile<S extends PastState>(
    name: ResourceName,
    model: ResourceModel<S>,
    { reconcile, concurrency, retryMs, delayMs = 0, isUnsettled = isLive }: ReconcileDeclaration<S>,
  ): void {
    const { feed, queues, log } = this.parts;
    const queue = new ReconcileQueue({
      work: reconcile,
      concurrency,
      onError: (id, err) => log.warn({ err, id, resource: name }, 'reconciliation failed; it is retried'),
      ...(retryMs === undefined ? {} : { retryMs }),
    });
    this.on(name, id => {
      if (delayMs === 0) queue.mark(id);
      else if (!feed.replaying) queue.markLater(id, delayMs);
    });
    queues.add(queue, {
      ids: () => model.ids(),
      check: id => {
        const state = model.get(id);
        if (state && isUnsettled(id, state)) queue.mark(id);
      },
    });
  }

  private follow(projection: Projection): void {
    if (this.followed.has(projection)) return;
    this.followed.add(projection);
    this.parts.snapshots.add(projection.constructor.name, projection);
    projection.follow(this.parts.feed, this.changed);
  }
}

export type ResourceListener = (id: string, event: RecordedEvent) => void;

const isLive = (_id: string, { deleted }: PastState): boolean => deleted !== true;
