import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { commandSubject, RefusedError, type ServiceName, type ServiceRequest } from '@stave/contracts';
import { notFoundError } from '../resources/access.js';
import type { ReadModelStatus } from './read-model.js';
import type { ReadModels } from './read-models.js';

/** As clients see it: read models of several services have the same name. */
export interface ReadModelView extends ReadModelStatus {
  /** `<service>.<name>` */
  readonly id: string;
  readonly service: ServiceName;
}

/** `read-model.list|get|rebuild` of a service. */
export function readModelController(service: ServiceName, runtime: { readonly readModels: ReadModels }): Type<object> {
  const view = (status: ReadModelStatus): ReadModelView => ({ id: `${service}.${status.name}`, service, ...status });

  @Controller()
  class ReadModelController {
    @MessagePattern(commandSubject(service, 'read-model', 'list'))
    async list(): Promise<readonly ReadModelView[]> {
      return (await runtime.readModels.projector.statuses()).map(view);
    }

    @MessagePattern(commandSubject(service, 'read-model', 'get'))
    async get(request: ServiceRequest<{ readonly name: string }>): Promise<ReadModelView> {
      return view(await runtime.readModels.projector.status(this.known(request.body.name)));
    }

    @MessagePattern(commandSubject(service, 'read-model', 'rebuild'))
    async rebuild(request: ServiceRequest<{ readonly name: string }>): Promise<ReadModelView> {
      return view(await runtime.readModels.projector.rebuild(this.known(request.body.name)));
    }

    private known(name: string): string {
      if (runtime.readModels.projector.has(name)) return name;
      throw new RefusedError(notFoundError('the read model'));
    }
  }
  return ReadModelController;
}
