import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { GatewayLog } from '../gateway-log.js';
import { LOG } from '../gateway.tokens.js';
import type { GatewayRequest } from '../http/call.js';
import { problemOf } from './problem.js';

/** Turns every exception of a handler into a problem document. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: GatewayLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<GatewayRequest>(), http.getResponse<FastifyReply>(), this.log);
  }
}

/** Sends the problem document of an error, also for requests that Fastify refuses before Nest handles them. */
export function sendProblem(error: unknown, request: GatewayRequest, reply: FastifyReply, log: GatewayLog): void {
  const correlationId = request.correlationId ?? request.id;
  const [instance = '/'] = request.url.split('?');
  const { problem, retryAfterSeconds, unexpected } = problemOf(error, instance, correlationId);
  if (unexpected) log.error({ err: error, correlationId, instance }, 'request failed');
  if (reply.sent) return;
  if (retryAfterSeconds !== undefined) void reply.header('Retry-After', String(retryAfterSeconds));
  if (problem.status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  void reply
    .status(problem.status)
    .header('X-Correlation-Id', correlationId)
    .header('Content-Type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}
