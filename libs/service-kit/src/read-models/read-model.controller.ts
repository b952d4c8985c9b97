import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ServiceName, type ServiceRequest } from '@stave/contracts';
import { notFoundError } from '../resources/access.js';
import type { ReadModelStatus } from './read-model.js';
import type { ServiceRuntime } from '../composition/service-runtime.js';

/** As clients see it: read models of several services have the same name. */
export interface ReadModelView extends ReadModelStatus {
  /** `<service>.<name>` */
  readonly id: string;
  readonly service: ServiceName;
}

/** `read-model.list|get|rebuild` of a service. */
export function readModelController(service: ServiceName, runtime: ServiceRuntime): Type<object> {
  const view = (status: ReadModelStatus): ReadModelView => ({ id: `${service}.${status.name}`, service, ...status });

  @Controller()
  class ReadModelController {
    @MessagePattern(commandSubject(service, 'read-model', 'list'))
    async list(): Promise<readonly ReadModelView[]> {
      return (await runtime.projector.statuses()).map(view);
    }

    @MessagePattern(commandSubject(service, 'read-model', 'get'))
    async get(request: ServiceRequest<{ readonly name: string }>): Promise<ReadModelView> {
      return view(await runtime.projector.status(this.known(request.body.name)));
    }

    @MessagePattern(commandSubject(service, 'read-model', 'rebuild'))
    async rebuild(request: ServiceRequest<{ readonly name: string }>): Promise<ReadModelView> {
      return view(await runtime.projector.rebuild(this.known(request.body.name)));
    }

    private known(name: string): string {
      if (runtime.projector.has(name)) return name;
      throw new RefusedError(notFoundError('the read model'));
    }
  }
  return ReadModelController;
}
