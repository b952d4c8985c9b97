import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  deadlineAt,
  RefusedError,
  type LeaveRequest,
  type ListQuery,
  type Page,
  type RegisterRequest,
  type ServiceRequest,
  type TableRequest,
} from '@stave/contracts';
import { listItems, admissionOf } from '@stave/service-kit';
import type { RingQueries } from './ring-queries.js';
import type { RingRegistrar } from './ring-registrar.js';

const on = (resource: string, verb: string): string => commandSubject('cluster-service', resource, verb);
type ListRequest = ServiceRequest<Partial<ListQuery>>;
const DRAIN = '60s';

export function ringController(registrar: RingRegistrar, queries: RingQueries): Type<object> {
  @Controller()
  class RingController {
    @MessagePattern(on('conductor', 'register'))
    register({ body }: ServiceRequest<RegisterRequest>): Promise<unknown> {
      return registrar.register(body);
    }

    @MessagePattern(on('conductor', 'epoch'))
    epoch(): Promise<unknown> {
      return registrar.epoch();
    }

    @MessagePattern(on('conductor', 'table'))
    table({ body }: ServiceRequest<TableRequest>): Promise<unknown> {
      return registrar.table(body.conductor, body.session);
    }

    @MessagePattern(on('conductor', 'leave'))
    async leave({ body }: ServiceRequest<LeaveRequest>): Promise<unknown> {
      await registrar.leave(body.conductor, body.session);
      return {};
    }

    @MessagePattern(on('conductor', 'action'))
    async action({
      meta,
      body,
    }: ServiceRequest<{ readonly id: string; readonly action: string; readonly deadline?: string }>): Promise<unknown> {
      if (body.action !== 'drain')
        throw new RefusedError({
          code: 'unknown-action',
          kind: 'not-found',
          detail: `conductors have no action ${body.action}`,
        });
      await registrar.drain(body.id, deadlineAt(body.deadline ?? DRAIN, Date.now()), admissionOf(meta));
      return { resource: queries.oneConductor(body.id) };
    }

    @MessagePattern(on('conductor', 'list'))
    conductors({ body }: ListRequest): Promise<Page> {
      return listItems('conductors', queries.conductors(), body);
    }

    @MessagePattern(on('conductor', 'get'))
    conductor({ body }: ServiceRequest<{ readonly id: string }>): object {
      return queries.oneConductor(body.id);
    }

    @MessagePattern(on('conductor-group', 'list'))
    groups({ body }: ListRequest): Promise<Page> {
      return listItems('groups', queries.groups(), body);
    }

    @MessagePattern(on('driver', 'list'))
    drivers({ body }: ListRequest): Promise<Page> {
      return listItems('drivers', queries.drivers(), body);
    }

    @MessagePattern(on('driver', 'get'))
    driver({ body }: ServiceRequest<{ readonly id: string; readonly version?: string }>): object {
      return queries.driver(body.id, body.version);
    }

    @MessagePattern(on('ring', 'list'))
    rings({ body }: ListRequest): Promise<Page> {
      return listItems('rings', queries.rings(), body);
    }

    @MessagePattern(on('ring', 'get'))
    ring({ body }: ServiceRequest<{ readonly id: string }>): object {
      return queries.ring(body.id);
    }

    @MessagePattern(on('ring', 'lookup'))
    lookup({ meta, body }: ServiceRequest<{ readonly resource: string }>): Promise<object> {
      return queries.lookup(meta.actor, body.resource);
    }
  }
  return RingController;
}
