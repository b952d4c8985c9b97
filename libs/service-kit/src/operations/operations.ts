import { Controller, Inject, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { RefusedError, type ListQuery, type Page, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import { notFound, omitUndefined } from '@stave/domain';
import { gauge, timings, WORK_SECONDS, type StoredDocument } from '@stave/platform';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import { Feed } from '../events/feed.js';
import { publicDocument } from '../read-models/list-query.js';
import { Queries } from '../read-models/queries.js';
import { ReadModels } from '../read-models/read-models.js';
import { LeaderTasks } from '../reconcile/leader-tasks.js';
import { mayTouch } from '../resources/access.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import { StatusCounts } from '../summary/status-counts.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { EndedOperations } from './ended-operations.js';
import type { OperationStep } from './operation-step.js';
import { stepsPage, type StepsPage, type StepsQuery } from './operation-steps.js';
import { OperationTracker, stepsOf } from './operation-tracker.js';
import { operationsReadModel } from './operations-read-model.js';

const MAX_WAIT_MS = 60_000;
const MODEL = 'operations';

const operationSeconds = timings(
  {
    name: 'stave_operation_duration_seconds',
    help: 'Time from the acceptance of an operation to its end, counted by the elected replica',
    labels: ['kind', 'status'],
  },
  WORK_SECONDS,
);
const runningOperations = gauge(
  {
    name: 'stave_operations_running',
    help: 'Operations that have not ended; the same in each replica of a service',
    labels: ['service'],
  },
  'highest',
);

type Reply = Promise<ReplyWithPosition<unknown>>;
type OperationOptions = Pick<
  ServiceOptions,
  'service' | 'operationIdPrefix' | 'operationsKeptMs' | 'documentStore' | 'log'
>;

@Controller()
export class Operations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly queries: Queries;
  private readonly tracker: OperationTracker;
  private readonly ended: EndedOperations;

  constructor(
    @Inject(SERVICE_OPTIONS) options: OperationOptions,
    private readonly feed: Feed,
    private readonly registry: ResourceRegistry,
    snapshots: ServiceSnapshots,
    private readonly readModels: ReadModels,
    leaderTasks: LeaderTasks,
  ) {
    const prefix = `${options.operationIdPrefix}-`;
    this.queries = new Queries({ feed, readModels }, MODEL, 'the operation');
    const counts = new StatusCounts(
      () => this.tracker.running(),
      id => this.tracker.get(id),
    );
    this.tracker = new OperationTracker(prefix, id => {
      readModels.mark(MODEL, id);
      counts.mark(id);
    });
    this.tracker.onEnded(({ kind, status, createdAt, finishedAt = createdAt }) => {
      const seconds = (Date.parse(finishedAt) - Date.parse(createdAt)) / 1_000;
      if (leaderTasks.isLeading && !feed.replaying) operationSeconds({ kind, status }, seconds);
    });
    runningOperations.from({ service: options.service }, this.tracker, ({ runningCount }) => runningCount);
    registry.count(MODEL, counts);
    this.ended = new EndedOperations(this.tracker, {
      ...{ prefix, feed, readModels, log: options.log, times: registry.times },
      ...{ keptMs: options.operationsKeptMs, isLocal: options.documentStore.isLocal === true },
    });
    snapshots.add(MODEL, this.tracker);
    feed.onEvery(event => this.tracker.apply(event));
    readModels.add(operationsReadModel(this.tracker, this.ended));
  }

  onApplicationBootstrap(): void {
    this.ended.start();
  }

  onApplicationShutdown(): void {
    this.ended.stop();
  }

  @MessagePattern('operation.list')
  list({ meta, body }: ServiceRequest<ListQuery>): Promise<Page> {
    return this.queries.list(meta, body);
  }

  /** Answers when the operation has ended or `waitMs` (at most a minute) have passed. Throws RefusedError `not-found`. */
  @MessagePattern('operation.get')
  async get({ meta, body }: ServiceRequest<{ readonly id: string; readonly waitMs?: number }>): Reply {
    const { id, waitMs = 0 } = body;
    await this.queries.caughtUp(meta);
    await this.find(meta, id);
    await this.tracker.waitForEnd(id, Math.min(waitMs, MAX_WAIT_MS));
    return replyWith(await this.find(meta, id));
  }

  /** Lists the steps of an operation with their resources. Throws RefusedError `not-found` and `invalid-cursor`. */
  @MessagePattern('operation.steps')
  async steps({ meta, body }: ServiceRequest<StepsQuery>): Promise<StepsPage> {
    await this.queries.caughtUp(meta);
    const document = await this.find(meta, body.id);
    const running = this.tracker.get(body.id);
    const { items, nextCursor } = stepsPage(running ? [...running.steps.values()] : stepsOf(document), body);
    const named = items.map(async step => ({ ...step, resource: await this.named(step.resource) }));
    return { items: await Promise.all(named), nextCursor };
  }

  /**
   * Cancels the operation; a repeat with the same idempotency key answers the same position. Throws RefusedError when it cannot be
   * cancelled or has ended.
   */
  @MessagePattern('operation.cancel')
  async cancel({ meta, body: { id } }: ServiceRequest<{ readonly id: string }>): Reply {
    const document = await this.find(meta, id);
    const { target } = document as unknown as { readonly target: { readonly type: string; readonly id: string } };
    const position = await this.registry.cancel(meta, { id, target });
    return new ReplyWithPosition(publicDocument(this.tracker.document(id) ?? document), position);
  }

  /** Adds the name of a resource, also of one that is deleted. */
  private async named(resource: OperationStep['resource']): Promise<OperationStep['resource'] & { name?: string }> {
    const name = await this.registry.nameOf(resource.type, resource.id);
    return { ...resource, ...omitUndefined({ name }) };
  }

  /** A replica that does not know the operation catches up with the log once; those that ended some time ago are in the read model. */
  private async find(meta: RequestMeta, id: string): Promise<StoredDocument> {
    const { tracker } = this;
    if (!tracker.document(id)) await this.feed.caughtUp();
    const found = tracker.document(id) ?? (await this.readModels.collection(MODEL).get(id));
    if (!found || !mayTouch(meta.actor, String(found['projectId']))) throw new RefusedError(notFound('the operation'));
    return found;
  }
}

/** The answer includes the position of an operation that has ended. */
function replyWith(document: StoredDocument): ReplyWithPosition<unknown> {
  const { finishedAt, position } = document;
  const end = finishedAt !== undefined && typeof position === 'number' ? position : undefined;
  return new ReplyWithPosition(publicDocument(document), end);
}
