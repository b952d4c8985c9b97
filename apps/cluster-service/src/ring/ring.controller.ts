import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  deadlineAt,
  type LeaveRequest,
  type ListQuery,
  type Page,
  type RegisterRequest,
  type RequestMeta,
  type ServiceRequest,
  type TableRequest,
} from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { actorOf, admissionOf, listItems, unknownAction, type EventContext } from '@stave/service-kit';
import { RingQueries } from './ring-queries.js';
import { RingRegistrar } from './ring-registrar.js';

const on = (resource: string, verb: string): string => commandSubject('cluster-service', resource, verb);
type ListRequest = ServiceRequest<Partial<ListQuery>>;
const DRAIN = '60s';

/** A drain has no project and no operation; its cause is the request. */
function drainContext(meta: RequestMeta): EventContext {
  const { correlationId, actor, idempotencyKey } = meta;
  return { correlationId, ...actorOf(actor), ...omitUndefined({ idempotencyKey, admission: admissionOf(meta) }) };
}

@Controller()
export class RingController {
  constructor(
    private readonly registrar: RingRegistrar,
    private readonly queries: RingQueries,
  ) {}

  @MessagePattern(on('conductor', 'register'))
  register({ body }: ServiceRequest<RegisterRequest>): Promise<unknown> {
    return this.registrar.register(body);
  }

  @MessagePattern(on('conductor', 'epoch'))
  epoch(): Promise<unknown> {
    return this.registrar.epoch();
  }

  @MessagePattern(on('conductor', 'table'))
  table({ body }: ServiceRequest<TableRequest>): Promise<unknown> {
    return this.registrar.table(body.conductor, body.session);
  }

  @MessagePattern(on('conductor', 'leave'))
  async leave({ body }: ServiceRequest<LeaveRequest>): Promise<unknown> {
    await this.registrar.leave(body.conductor, body.session);
    return {};
  }

  @MessagePattern(on('conductor', 'action'))
  async action({
    meta,
    body,
  }: ServiceRequest<{ readonly id: string; readonly action: string; readonly deadline?: string }>): Promise<unknown> {
    if (body.action !== 'drain') throw unknownAction('conductors', body.action);
    await this.registrar.drain(body.id, deadlineAt(body.deadline ?? DRAIN, Date.now()), drainContext(meta));
    return { resource: this.queries.oneConductor(body.id) };
  }

  @MessagePattern(on('conductor', 'list'))
  conductors({ body }: ListRequest): Promise<Page> {
    return listItems('conductors', this.queries.conductors(), body);
  }

  @MessagePattern(on('conductor', 'get'))
  conductor({ body }: ServiceRequest<{ readonly id: string }>): object {
    return this.queries.oneConductor(body.id);
  }

  @MessagePattern(on('conductor-group', 'list'))
  groups({ body }: ListRequest): Promise<Page> {
    return listItems('groups', this.queries.groups(), body);
  }

  @MessagePattern(on('driver', 'list'))
  drivers({ body }: ListRequest): Promise<Page> {
    return listItems('drivers', this.queries.drivers(), body);
  }

  @MessagePattern(on('driver', 'get'))
  driver({ body }: ServiceRequest<{ readonly id: string; readonly version?: string }>): object {
    return this.queries.driver(body.id, body.version);
  }

  @MessagePattern(on('ring', 'list'))
  rings({ body }: ListRequest): Promise<Page> {
    return listItems('rings', this.queries.rings(), body);
  }

  @MessagePattern(on('ring', 'get'))
  ring({ body }: ServiceRequest<{ readonly id: string }>): object {
    return this.queries.ring(body.id);
  }

  @MessagePattern(on('ring', 'lookup'))
  lookup({ meta, body }: ServiceRequest<{ readonly resource: string }>): Promise<object> {
    return this.queries.lookup(meta.actor, body.resource);
  }
}
