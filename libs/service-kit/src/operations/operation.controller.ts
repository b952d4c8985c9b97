import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ListQuery, type ServiceName, type ServiceRequest } from '@stave/contracts';
import { mayTouch, notFoundError } from '../resources/access.js';
import { operationDocument, type OperationRecord } from './operation-tracker.js';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import type { ServiceRuntime } from '../composition/service-runtime.js';
import { Queries } from '../read-models/queries.js';

const MAX_WAIT_MS = 60_000;

/**
 * Cancels the operation; throws RefusedError (409) when that cannot be, or it has ended. Answers the position of what it appended, at a
 * repeat with the same idempotency key too.
 */
export type CancelOperation = (
  request: ServiceRequest<{ readonly id: string }>,
  operation: OperationRecord,
) => Promise<number | undefined>;

/** `operation.get|list|cancel` of a service. */
export function operationController(
  service: ServiceName,
  runtime: ServiceRuntime,
  cancel: CancelOperation,
): Type<object> {
  const queries = new Queries(runtime, 'operations', 'the operation');

  @Controller()
  class OperationController {
    @MessagePattern(commandSubject(service, 'operation', 'list'))
    list(request: ServiceRequest<ListQuery>): Promise<unknown> {
      return queries.list(request.meta, request.body);
    }

    @MessagePattern(commandSubject(service, 'operation', 'get'))
    async get(request: ServiceRequest<{ readonly id: string; readonly waitMs?: number }>): Promise<unknown> {
      const { id, waitMs } = request.body;
      await queries.caughtUp(request.meta);
      await this.find(request);
      await runtime.operations.waitForEnd(id, Math.min(waitMs ?? 0, MAX_WAIT_MS));
      const record = await this.find(request);
      return new ReplyWithPosition(
        operationDocument(record),
        record.finishedAt === undefined ? undefined : record.position,
      );
    }

    @MessagePattern(commandSubject(service, 'operation', 'cancel'))
    async cancel(request: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
      const record = await this.find(request);
      const position = await cancel(request, record);
      return new ReplyWithPosition(operationDocument(runtime.operations.get(record.id) ?? record), position);
    }

    /** A replica that did not hear of it yet catches up once. */
    private async find(request: ServiceRequest<{ readonly id: string }>): Promise<OperationRecord> {
      const { id } = request.body;
      if (!runtime.operations.get(id)) await runtime.feed.caughtUp();
      const record = runtime.operations.get(id);
      if (!record || !mayTouch(request.meta.actor, record.projectId))
        throw new RefusedError(notFoundError('the operation'));
      return record;
    }
  }
  return OperationController;
}
