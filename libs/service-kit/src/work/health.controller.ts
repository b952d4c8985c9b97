import { Controller, type Type } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import {
  commandSubject,
  type ExpectedReply,
  type ExpectedRequest,
  type ObservedRequest,
  type ServiceName,
  type ServiceRequest,
} from '@stave/contracts';

/** The part of a HealthReports that conductors talk to. */
export interface Watched {
  expected(request: ExpectedRequest): Promise<ExpectedReply>;
  observed(request: ObservedRequest): Promise<object>;
}

/** `health.expected|observed` of a service. */
export function healthController(service: ServiceName, desk: Watched): Type<object> {
  @Controller()
  class HealthController {
    @MessagePattern(commandSubject(service, 'health', 'expected'))
    expected(request: ServiceRequest<ExpectedRequest>): Promise<ExpectedReply> {
      return desk.expected(request.body);
    }

    @MessagePattern(commandSubject(service, 'health', 'observed'))
    observed(request: ServiceRequest<ObservedRequest>): Promise<object> {
      return desk.observed(request.body);
    }
  }
  return HealthController;
}
