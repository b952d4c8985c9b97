import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  RefusedError,
  type ClaimReply,
  type ClaimRequest,
  type ExpectedReply,
  type ExpectedRequest,
  type ObservedRequest,
  type OrphanRemoved,
  type OrphanVerdictReply,
  type OrphanVerdictRequest,
  type RecoveredRequest,
  type ReportReply,
  type ReportRequest,
  type ServiceName,
  type ServiceRequest,
} from '@stave/contracts';
import { notFound } from '@stave/domain';
import type { ReadModelStatus } from '../read-models/read-model.js';
import { ReadModels } from '../read-models/read-models.js';
import { ConductorWork } from '../work/conductor-work.js';
import { OrphanLog } from '../work/orphan-log.js';
import { SERVICE_OPTIONS, type ServiceOptions } from './ports.js';

/** A read model as clients see it; `id` is `<service>.<name>`, since read models of several services have the same name. */
export interface ReadModelView extends ReadModelStatus {
  readonly id: string;
  readonly service: ServiceName;
}

type NamedRequest = ServiceRequest<{ readonly name: string }>;

@Controller()
export class ReadModelController {
  constructor(
    @Inject(SERVICE_OPTIONS) private readonly options: Pick<ServiceOptions, 'service'>,
    private readonly readModels: ReadModels,
  ) {}

  @MessagePattern('read-model.list')
  async list(): Promise<readonly ReadModelView[]> {
    return (await this.readModels.projector.statuses()).map(status => this.view(status));
  }

  @MessagePattern('read-model.get')
  async get({ body }: NamedRequest): Promise<ReadModelView> {
    return this.view(await this.readModels.projector.status(this.known(body.name)));
  }

  @MessagePattern('read-model.rebuild')
  async rebuild({ meta, body }: NamedRequest): Promise<ReadModelView> {
    const { projector } = this.readModels;
    const name = this.known(body.name);
    return this.view(await (meta.dryRun ? projector.status(name) : projector.rebuild(name)));
  }

  private view(status: ReadModelStatus): ReadModelView {
    const { service } = this.options;
    return { id: `${service}.${status.name}`, service, ...status };
  }

  private known(name: string): string {
    if (this.readModels.projector.has(name)) return name;
    throw new RefusedError(notFound('the read model'));
  }
}

@Controller()
export class WorkController {
  constructor(
    private readonly work: ConductorWork,
    private readonly orphans: OrphanLog,
  ) {}

  @MessagePattern('task.claim')
  claim({ body }: ServiceRequest<ClaimRequest>): Promise<ClaimReply> {
    return this.work.tasks.claim(body);
  }

  @MessagePattern('task.report')
  report({ body }: ServiceRequest<ReportRequest>): Promise<ReportReply> {
    return this.work.tasks.report(body);
  }

  @MessagePattern('task.recovered')
  async recovered({ body }: ServiceRequest<RecoveredRequest>): Promise<object> {
    await this.work.tasks.recovered(body);
    return {};
  }

  @MessagePattern('orphan.classify')
  classify({ body, provenGroup }: ServiceRequest<OrphanVerdictRequest>): Promise<OrphanVerdictReply> {
    return this.work.tasks.classify(body, provenGroup);
  }

  @MessagePattern('orphan.removed')
  async removed({ meta, body }: ServiceRequest<OrphanRemoved>): Promise<object> {
    await this.orphans.record(meta, body);
    return {};
  }

  @MessagePattern('health.expected')
  expected({ body }: ServiceRequest<ExpectedRequest>): Promise<ExpectedReply> {
    return this.work.health?.expected(body) ?? Promise.resolve({ units: [], position: -1 });
  }

  @MessagePattern('health.observed')
  observed({ body }: ServiceRequest<ObservedRequest>): Promise<object> {
    return this.work.health?.observed(body) ?? Promise.resolve({});
  }
}
