import { Injectable } from '@nestjs/common';
import { operationOwner, RefusedError, type RequestMeta, type ServiceName } from '@stave/contracts';
import { ok, positionHeader, type Answer } from '../http/answer.js';
import { param, type Call } from '../http/call.js';
import { selectFields } from '../services/field-selection.js';
import { planned } from '../http/command-answer.js';
import { ServiceClient, type Reply } from '../services/service-client.js';
import { parseWait } from './wait.js';

/** A waiting request is sent in slices: it survives a restart of the service and ends soon when the gateway closes. */
const SLICE_MS = 5000;
const ended = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED']);

export const statusOf = (data: unknown): string =>
  typeof data === 'object' && data !== null && 'status' in data ? String(data.status) : '';

function ownerOf(id: string): ServiceName {
  const owner = operationOwner(id);
  if (owner) return owner;
  throw new RefusedError({ code: 'not-found', kind: 'not-found', detail: `operation ${id} does not exist` });
}

/** Reads and cancels operations through the service that accepted them. */
@Injectable()
export class OperationQueries {
  private closing = false;

  constructor(private readonly services: ServiceClient) {}

  /** With `wait`, answers when the operation has ended or the time has passed. */
  async get(call: Call): Promise<Answer> {
    const id = param(call);
    const deadline = performance.now() + parseWait(call.query['wait']);
    let reply = await this.ask(id, call.meta, this.slice(deadline));
    while (!ended.has(statusOf(reply.data)) && this.slice(deadline) > 0)
      reply = await this.ask(id, call.meta, this.slice(deadline));
    const position = ended.has(statusOf(reply.data)) ? reply.position : undefined;
    const headers = positionHeader(position);
    return ok(selectFields(reply.data, call.query['fields']), headers);
  }

  async cancel(call: Call): Promise<Answer> {
    const id = param(call);
    const reply = await this.services.askService(ownerOf(id), 'operation', 'cancel', { meta: call.meta, body: { id } });
    if (call.meta.dryRun) return planned(reply);
    const { data, position } = reply;
    const headers = { Location: `/v1/operations/${id}`, ...positionHeader(position) };
    return { status: 202, headers, body: data };
  }

  ask(id: string, meta: RequestMeta, waitMs = 0): Promise<Reply> {
    return this.services.askService(
      ownerOf(id),
      'operation',
      'get',
      { meta, body: waitMs > 0 ? { id, waitMs } : { id } },
      waitMs,
    );
  }

  /** Answers waiting requests with the present state. */
  close(): void {
    this.closing = true;
  }

  private slice(deadline: number): number {
    return this.closing ? 0 : Math.max(0, Math.min(SLICE_MS, Math.ceil(deadline - performance.now())));
  }
}
