import { Injectable } from '@nestjs/common';
import type { RequestMeta, ResourceDocument, ResourceName } from '@stave/contracts';
import type { RecordedEvent } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import { HistoryTimes } from '../history/history-times.js';
import type { PastState } from '../history/history-queries.js';
import type { OperationRef } from '../operations/operation-tracker.js';
import { DryRunHandler } from '../plans/dry-run-handler.js';
import type { PlannedResource } from '../plans/plan-descriptions.js';
import { ReadModels } from '../read-models/read-models.js';
import { StatusCounts, type Counted, type StatusNumbers } from '../summary/status-counts.js';
import { LeaderTasks } from '../reconcile/leader-tasks.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { ConductorWork } from '../work/conductor-work.js';
import { EndedStreams } from './ended-streams.js';
import type { Projection, ResourceChanged } from './projection.js';
import { Resource } from './resource.js';
import {
  documentOf,
  type ReconcileDeclaration,
  type ResourceConnections,
  type ResourceType,
} from './resource-definition.js';
import type { ResourceModel } from './resource-model.js';

/** Parts for each millisecond between two calls of one resource: the check of a part takes about 2 µs of CPU. */
const PARTS_PER_REST_MS = 50;

type Cancel = (meta: RequestMeta, operation: OperationRef) => Promise<number | undefined>;

/** Connects the resource types of a service with everything that follows from their definitions. */
@Injectable()
export class ResourceRegistry {
  readonly times = new HistoryTimes();
  private readonly listeners = new Map<ResourceName, ResourceListener[]>();
  private readonly cancels = new Map<string, Cancel>();
  private readonly names = new Map<string, (id: string) => string | undefined>();
  private readonly counts = new Map<string, StatusCounts>();
  readonly feed: Feed;
  private readonly followed = new Set<Projection>();

  constructor(
    readonly readModels: ReadModels,
    private readonly work: ConductorWork,
    private readonly plans: DryRunHandler,
    private readonly leaderTasks: LeaderTasks,
    private readonly snapshots: ServiceSnapshots,
    private readonly ended: EndedStreams,
  ) {
    this.feed = ended.feed;
    snapshots.add('times', this.times);
    this.feed.onEvery(event => this.times.note(event));
  }

  /** Connects a resource type; to be called before the service starts. */
  register<S extends PastState, P extends Projection>(
    definition: ResourceType<S, P>,
    projection: P,
    connections: ResourceConnections<S>,
  ): Resource<S, P> {
    const { name, readModel, fields } = definition;
    const model = definition.model(projection);
    const resource = new Resource(definition, projection, connections, this);
    this.readModels.add(resource.readModel);
    this.on(name, id => this.readModels.mark(readModel.name, id));
    this.names.set(model.category, id => {
      const state = model.get(id);
      return state && fields(state).name;
    });
    const counts = new StatusCounts(
      () => model.ids(),
      id => countedOf(definition, projection, id),
    );
    this.count(readModel.name, counts);
    this.on(name, id => counts.mark(id));
    const show = (state: S): ResourceDocument | undefined => (state.deleted ? undefined : fields(state));
    this.plans.describe<S>(model.category, { type: model.category, show, ...connections.plan });
    if (connections.cancel) this.cancels.set(model.category, connections.cancel);
    if (connections.health) {
      const reports = this.work.addHealth(connections.health);
      this.on(name, (id, { position }) => reports.changed(id, position));
    }
    if (connections.tasks) {
      const board = this.work.addTasks(connections.tasks);
      this.on(name, id => board.update(id));
    }
    if (connections.reconcile) this.reconcile(name, model, connections.reconcile);
    this.follow(projection);
    return resource;
  }

  /** Counts a type of resources by status in summaries. */
  count(type: string, counts: StatusCounts): void {
    this.counts.set(type, counts);
  }

  /** Returns how many resources of each type have each status, in these projects or in all; types without a status are left out. */
  async summary(projectIds: readonly string[] | null): Promise<Readonly<Record<string, StatusNumbers>>> {
    const numbers: Record<string, StatusNumbers> = {};
    for (const [type, counts] of this.counts) numbers[type] = await counts.of(projectIds);
    return numbers;
  }

  /** Returns the name of a resource by the category of its stream: of one that this service does not have in memory, its first one. */
  async nameOf(category: string, id: string): Promise<string | undefined> {
    const own = this.names.get(category)?.(id);
    if (own !== undefined) return own;
    const [first] = await this.feed.store.readStream(`${category}-${id}`, { limit: 1 });
    const { name } = (first?.data ?? {}) as { readonly name?: unknown };
    return typeof name === 'string' ? name : undefined;
  }

  /** Declares what plans show of streams that are no resource of their own. */
  describe<S>(category: string, planned: PlannedResource<S>): void {
    this.plans.describe(category, planned);
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
  cancel(meta: RequestMeta, operation: OperationRef): Promise<number | undefined> {
    const cancel = this.cancels.get(operation.target.type);
    if (!cancel) throw new RangeError(`operations on ${operation.target.type} cannot be cancelled`);
    return cancel(meta, operation);
  }

  /**
   * Reconciles resources of a type, also of one that another service owns: after each change, and from time to time. The returned function
   * marks one that has to be reconciled for another reason.
   */
  reconcile<S extends PastState>(
    name: ResourceName,
    model: ResourceModel<S>,
    { reconcile, concurrency, retryMs, parts, delayMs = 0, isUnsettled = isLive }: ReconcileDeclaration<S>,
  ): (id: string) => void {
    const queue = this.leaderTasks.addQueue(name, {
      work: reconcile,
      concurrency,
      retryMs,
      ...(parts && { restMs: (id: string) => Math.floor(parts(id) / PARTS_PER_REST_MS) }),
      resync: {
        ids: () => model.ids(),
        ...(parts && { parts }),
        needsWork: id => {
          const state = model.get(id);
          return state !== undefined && isUnsettled(id, state);
        },
      },
    });
    this.ended.addQueue(model.category, queue);
    this.on(name, id => {
      if (delayMs === 0) queue.mark(id);
      else if (!this.feed.replaying) queue.markLater(id, delayMs);
    });
    return id => queue.mark(id);
  }

  /** Follows the feed with a projection, also one of resources of another service; before the feed starts. */
  follow(projection: Projection): void {
    if (this.followed.has(projection)) return;
    this.followed.add(projection);
    this.snapshots.add(projection.constructor.name, projection);
    this.ended.add(projection.retentions());
    projection.follow(this.feed, this.changed);
  }
}

export type ResourceListener = (id: string, event: RecordedEvent) => void;

const isLive = (_id: string, { deleted }: PastState): boolean => deleted !== true;

/** A resource that ended, or has no status, is not counted. */
function countedOf<S extends PastState, P extends Projection>(
  type: ResourceType<S, P>,
  projection: P,
  id: string,
): Counted | undefined {
  const state = type.model(projection).get(id);
  if (state === undefined || state.deleted === true) return undefined;
  const status = type.status?.(state) ?? documentOf(type, projection, id)?.['status'];
  return typeof status === 'string' ? { status, projectId: type.scope(state).projectId } : undefined;
}
