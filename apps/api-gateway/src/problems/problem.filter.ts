import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@stave/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOG } from '../gateway.tokens.js';
import type { GatewayRequest } from '../http/call.js';
import { problemOf } from './problem.js';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.log);
  }
}

/** Sends the problem document of an error, also for requests that Fastify refuses before Nest handles them. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const { id: correlationId } = request;
  const [instance = '/'] = request.url.split('?');
  const { problem, retryAfterMs } = problemOf(error, instance, correlationId);
  (request as GatewayRequest).refusal = problem.code;
  if (problem.status === 500) log.error({ err: error, correlationId, instance }, 'request failed');
  if (reply.sent) return;
  if (retryAfterMs !== undefined) void reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  if (problem.status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  void reply
    .status(problem.status)
    .header('X-Correlation-Id', correlationId)
    .header('Content-Type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}
