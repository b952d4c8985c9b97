import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { RefusedError, type ListQuery, type Page, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import { notFound } from '@stave/domain';
import { SERVICE_OPTIONS, type ServiceOptions } from '../composition/ports.js';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import { Feed } from '../events/feed.js';
import { Queries } from '../read-models/queries.js';
import { ReadModels } from '../read-models/read-models.js';
import { mayTouch } from '../resources/access.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { OperationTracker, operationDocument, operationsReadModel, type OperationRecord } from './operation-tracker.js';

const MAX_WAIT_MS = 60_000;

type Reply = Promise<ReplyWithPosition<unknown>>;

@Controller()
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
    const record = await this.find(meta, id);
    const position = record.finishedAt === undefined ? undefined : record.position;
    return new ReplyWithPosition(operationDocument(record), position);
  }

  /**
   * Cancels the operation; a repeat with the same idempotency key answers the same position. Throws RefusedError when it cannot be
   * cancelled or has ended.
   */
  @MessagePattern('operation.cancel')
  async cancel({ meta, body }: ServiceRequest<{ readonly id: string }>): Reply {
    const record = await this.find(meta, body.id);
    const position = await this.registry.cancel(meta, record);
    return new ReplyWithPosition(operationDocument(this.tracker.get(record.id) ?? record), position);
  }

  /** A replica that does not know the operation catches up with the log once. */
  private async find(meta: RequestMeta, id: string): Promise<OperationRecord> {
    const { tracker } = this;
    if (!tracker.get(id)) await this.feed.caughtUp();
    const record = tracker.get(id);
    if (!record || !mayTouch(meta.actor, record.projectId)) throw new RefusedError(notFound('the operation'));
    return record;
  }
}
