import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, type ResourceName, type ServiceName, type ServiceRequest } from '@stave/contracts';
import type { ServiceRuntime } from '../composition/service-runtime.js';
import {
  HistoryQueries,
  type HistoryKind,
  type PastListQuery,
  type PastRef,
  type PastState,
} from './history-queries.js';

type AtRequest = ServiceRequest<PastRef & { readonly at: string }>;
type DiffRequest = ServiceRequest<PastRef & { readonly from: string; readonly to?: string }>;

/** `<resource>.get-at|list-at|diff` of a service. */
export function historyController<S extends PastState>(
  service: ServiceName,
  resource: ResourceName,
  runtime: ServiceRuntime,
  kind: HistoryKind<S>,
): Type<object> {
  const queries = new HistoryQueries(runtime, kind);

  @Controller()
  class HistoryController {
    @MessagePattern(commandSubject(service, resource, 'get-at'))
    get({ meta, body }: AtRequest): Promise<unknown> {
      return queries.get(meta, body);
    }

    @MessagePattern(commandSubject(service, resource, 'list-at'))
    list({ meta, body }: ServiceRequest<PastListQuery>): Promise<unknown> {
      return queries.list(meta, body);
    }

    @MessagePattern(commandSubject(service, resource, 'diff'))
    diff({ meta, body }: DiffRequest): Promise<unknown> {
      return queries.diff(meta, body);
    }
  }
  return HistoryController;
}
