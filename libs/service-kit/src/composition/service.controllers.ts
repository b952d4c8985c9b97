import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  RefusedError,
  type ClaimReply,
  type ClaimRequest,
  type ExpectedReply,
  type ExpectedRequest,
  type ListQuery,
  type ObservedRequest,
  type OrphanRemoved,
  type OrphanVerdictReply,
  type OrphanVerdictRequest,
  type ReportReply,
  type ReportRequest,
  type ServiceName,
  type ServiceRequest,
} from '@stave/contracts';
import { Operations } from '../operations/operations.js';
import type { ReadModelStatus } from '../read-models/read-model.js';
import { ReadModels } from '../read-models/read-models.js';
import { notFoundError } from '../resources/access.js';
import { ConductorWork } from '../work/conductor-work.js';
import { OrphanLog } from '../work/orphan-log.js';

/** Returns the controllers that every service has: subjects begin with its name. */
export const serviceControllers = (service: ServiceName): Type<object>[] => [
  operationController(service),
  readModelsController(service),
  workController(service),
];

/** `operation.list|get|cancel` */
function operationController(service: ServiceName): Type<object> {
  const on = (verb: string): string => commandSubject(service, 'operation', verb);

  @Controller()
  class OperationController {
    constructor(private readonly operations: Operations) {}

    @MessagePattern(on('list'))
    list({ meta, body }: ServiceRequest<ListQuery>): Promise<unknown> {
      return this.operations.list(meta, body);
    }

    @MessagePattern(on('get'))
    get({ meta, body }: ServiceRequest<{ readonly id: string; readonly waitMs?: number }>): Promise<unknown> {
      return this.operations.get(meta, body.id, body.waitMs);
    }

    @MessagePattern(on('cancel'))
    cancel({ meta, body }: ServiceRequest<{ readonly id: string }>): Promise<unknown> {
      return this.operations.cancel(meta, body.id);
    }
  }
  return OperationController;
}

/** A read model as clients see it; `id` is `<service>.<name>`, since read models of several services have the same name. */
export interface ReadModelView extends ReadModelStatus {
  readonly id: string;
  readonly service: ServiceName;
}

/** `read-model.list|get|rebuild` */
function readModelsController(service: ServiceName): Type<object> {
  const on = (verb: string): string => commandSubject(service, 'read-model', verb);
  const view = (status: ReadModelStatus): ReadModelView => ({ id: `${service}.${status.name}`, service, ...status });

  @Controller()
  class ReadModelController {
    constructor(private readonly readModels: ReadModels) {}

    @MessagePattern(on('list'))
    async list(): Promise<readonly ReadModelView[]> {
      return (await this.readModels.projector.statuses()).map(view);
    }

    @MessagePattern(on('get'))
    async get({ body }: ServiceRequest<{ readonly name: string }>): Promise<ReadModelView> {
      return view(await this.readModels.projector.status(this.known(body.name)));
    }

    @MessagePattern(on('rebuild'))
    async rebuild({ body }: ServiceRequest<{ readonly name: string }>): Promise<ReadModelView> {
      return view(await this.readModels.projector.rebuild(this.known(body.name)));
    }

    private known(name: string): string {
      if (this.readModels.projector.has(name)) return name;
      throw new RefusedError(notFoundError('the read model'));
    }
  }
  return ReadModelController;
}

/** `task.claim|report`, `orphan.classify|removed`, `health.expected|observed` */
function workController(service: ServiceName): Type<object> {
  const on = (resource: string, verb: string): string => commandSubject(service, resource, verb);

  @Controller()
  class WorkController {
    constructor(
      private readonly work: ConductorWork,
      private readonly orphans: OrphanLog,
    ) {}

    @MessagePattern(on('task', 'claim'))
    claim({ body }: ServiceRequest<ClaimRequest>): Promise<ClaimReply> {
      return this.workload.board.claim(body);
    }

    @MessagePattern(on('task', 'report'))
    report({ body }: ServiceRequest<ReportRequest>): Promise<ReportReply> {
      return this.workload.board.report(body);
    }

    @MessagePattern(on('orphan', 'classify'))
    async classify({ body }: ServiceRequest<OrphanVerdictRequest>): Promise<OrphanVerdictReply> {
      return { verdicts: await Promise.all(body.units.map(unit => this.workload.classify(unit))) };
    }

    @MessagePattern(on('orphan', 'removed'))
    async removed({ meta, body }: ServiceRequest<OrphanRemoved>): Promise<object> {
      await this.orphans.record(meta, body);
      return {};
    }

    @MessagePattern(on('health', 'expected'))
    expected({ body }: ServiceRequest<ExpectedRequest>): Promise<ExpectedReply> {
      return this.work.health?.expected(body) ?? Promise.resolve({ units: [] });
    }

    @MessagePattern(on('health', 'observed'))
    observed({ body }: ServiceRequest<ObservedRequest>): Promise<object> {
      return this.work.health?.observed(body) ?? Promise.resolve({});
    }

    private get workload(): NonNullable<ConductorWork['workload']> {
      const { workload } = this.work;
      if (!workload) throw new RefusedError(notFoundError(`a resource type with tasks in ${service}`));
      return workload;
    }
  }
  return WorkController;
}
