import { RefusedError, type ListQuery, type Page, type RequestMeta } from '@stave/contracts';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import type { Feed } from '../events/feed.js';
import { Queries } from '../read-models/queries.js';
import type { ReadModels } from '../read-models/read-models.js';
import { mayTouch, notFoundError } from '../resources/access.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import { operationDocument, type OperationRecord, type OperationTracker } from './operation-tracker.js';

const MAX_WAIT_MS = 60_000;

export interface OperationsParts {
  readonly feed: Feed;
  readonly readModels: ReadModels;
  readonly tracker: OperationTracker;
  readonly registry: Pick<ResourceRegistry, 'cancel'>;
}

/** Requests about the operations that a service accepted. */
export class Operations {
  private readonly queries: Queries;

  constructor(private readonly parts: OperationsParts) {
    this.queries = new Queries(parts, 'operations', 'the operation');
  }

  list(meta: RequestMeta, query: ListQuery): Promise<Page> {
    return this.queries.list(meta, query);
  }

  /** Answers when the operation has ended or `waitMs` (at most a minute) have passed. Throws RefusedError `not-found`. */
  async get(meta: RequestMeta, id: string, waitMs = 0): Promise<ReplyWithPosition<unknown>> {
    await this.queries.caughtUp(meta);
    await this.find(meta, id);
    await this.parts.tracker.waitForEnd(id, Math.min(waitMs, MAX_WAIT_MS));
    const record = await this.find(meta, id);
    return new ReplyWithPosition(
      operationDocument(record),
      record.finishedAt === undefined ? undefined : record.position,
    );
  }

  /**
   * Cancels the operation; a repeat with the same idempotency key answers the same position. Throws RefusedError when it cannot be
   * cancelled or has ended.
   */
  async cancel(meta: RequestMeta, id: string): Promise<ReplyWithPosition<unknown>> {
    const record = await this.find(meta, id);
    const position = await this.parts.registry.cancel(meta, record);
    return new ReplyWithPosition(operationDocument(this.parts.tracker.get(record.id) ?? record), position);
  }

  /** A replica that has not seen the operation yet catches up once. */
  private async find(meta: RequestMeta, id: string): Promise<OperationRecord> {
    const { tracker, feed } = this.parts;
    if (!tracker.get(id)) await feed.caughtUp();
    const record = tracker.get(id);
    if (!record || !mayTouch(meta.actor, record.projectId)) throw new RefusedError(notFoundError('the operation'));
    return record;
  }
}
