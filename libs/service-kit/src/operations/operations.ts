import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type ListQuery, type Page, type RequestMeta } from '@stave/contracts';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import { Feed } from '../events/feed.js';
import { Queries } from '../read-models/queries.js';
import { ReadModels } from '../read-models/read-models.js';
import { mayTouch, notFoundError } from '../resources/access.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { OperationTracker, operationDocument, operationsReadModel, type OperationRecord } from './operation-tracker.js';

const MAX_WAIT_MS = 60_000;

/** The operations that a service accepted: follows them, and answers requests about them. */
@Injectable()
export class Operations {
  private readonly queries: Queries;
  private readonly tracker: OperationTracker;

  constructor(
    @Inject(SERVICE_OPTIONS) { operationIdPrefix }: Pick<ServiceOptions, 'operationIdPrefix'>,
    private readonly feed: Feed,
    private readonly registry: ResourceRegistry,
    snapshots: ServiceSnapshots,
    readModels: ReadModels,
  ) {
    this.queries = new Queries({ feed, readModels }, 'operations', 'the operation');
    this.tracker = new OperationTracker(`${operationIdPrefix}-`, id => readModels.mark('operations', id));
    snapshots.add('operations', this.tracker);
    feed.onEvery(event => this.tracker.apply(event));
    readModels.add(operationsReadModel(this.tracker));
  }

  list(meta: RequestMeta, query: ListQuery): Promise<Page> {
    return this.queries.list(meta, query);
  }

  /** Answers when the operation has ended or `waitMs` (at most a minute) have passed. Throws RefusedError `not-found`. */
  async get(meta: RequestMeta, id: string, waitMs = 0): Promise<ReplyWithPosition<unknown>> {
    await this.queries.caughtUp(meta);
    await this.find(meta, id);
    await this.tracker.waitForEnd(id, Math.min(waitMs, MAX_WAIT_MS));
    const record = await this.find(meta, id);
    const position = record.finishedAt === undefined ? undefined : record.position;
    return new ReplyWithPosition(operationDocument(record), position);
  }

  /**
   * Cancels the operation; a repeat with the same idempotency key answers the same position. Throws RefusedError when it cannot be
   * cancelled or has ended.
   */
  async cancel(meta: RequestMeta, id: string): Promise<ReplyWithPosition<unknown>> {
    const record = await this.find(meta, id);
    const position = await this.registry.cancel(meta, record);
    return new ReplyWithPosition(operationDocument(this.tracker.get(record.id) ?? record), position);
  }

  /** A replica that does not know the operation catches up with the log once. */
  private async find(meta: RequestMeta, id: string): Promise<OperationRecord> {
    const { tracker } = this;
    if (!tracker.get(id)) await this.feed.caughtUp();
    const record = tracker.get(id);
    if (!record || !mayTouch(meta.actor, record.projectId)) throw new RefusedError(notFoundError('the operation'));
    return record;
  }
}
