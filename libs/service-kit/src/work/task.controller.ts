import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  type ClaimReply,
  type ClaimRequest,
  type OrphanVerdictReply,
  type OrphanVerdictRequest,
  type OrphanRemoved,
  type ReportReply,
  type ReportRequest,
  type ServiceName,
  type ServiceRequest,
} from '@stave/contracts';
import { newEvents } from '../resources/new-events.js';
import type { ServiceRuntime } from '../composition/service-runtime.js';

/** The part of a TaskBoard that conductors talk to. */
export interface TaskClaims {
  claim(request: ClaimRequest): Promise<ClaimReply>;
  report(request: ReportRequest): Promise<ReportReply>;
}

/** What the log says of a unit on the infrastructure; read from streams, never from a read model. */
export type ClassifyUnit = (
  unit: OrphanVerdictRequest['units'][number],
) => Promise<OrphanVerdictReply['verdicts'][number]>;

/** `task.claim|report` and `orphan.classify|removed` of a service. */
export function taskController(
  service: ServiceName,
  runtime: ServiceRuntime,
  desk: TaskClaims,
  judge: ClassifyUnit,
): Type<object> {
  @Controller()
  class TaskController {
    @MessagePattern(commandSubject(service, 'task', 'claim'))
    claim(request: ServiceRequest<ClaimRequest>): Promise<ClaimReply> {
      return desk.claim(request.body);
    }

    @MessagePattern(commandSubject(service, 'task', 'report'))
    report(request: ServiceRequest<ReportRequest>): Promise<ReportReply> {
      return desk.report(request.body);
    }

    @MessagePattern(commandSubject(service, 'orphan', 'classify'))
    async judge(request: ServiceRequest<OrphanVerdictRequest>): Promise<OrphanVerdictReply> {
      return { verdicts: await Promise.all(request.body.units.map(judge)) };
    }

    @MessagePattern(commandSubject(service, 'orphan', 'removed'))
    async removed(request: ServiceRequest<OrphanRemoved>): Promise<object> {
      const data = request.body;
      const stream = `orphan-${data.resourceId}`;
      const known = await runtime.options.eventStore.readStream(stream);
      if (known.some(e => (e.data as OrphanRemoved).infrastructureId === data.infrastructureId)) return {};
      const context = { correlationId: request.meta.correlationId, actor: request.meta.actor.keyId };
      const events = newEvents(
        stream,
        known.length - 1,
        [{ type: 'OrphanRemoved', data }],
        context,
        new Date().toISOString(),
      );
      await runtime.options.eventStore.append(stream, events, 'any');
      return {};
    }
  }
  return TaskController;
}
