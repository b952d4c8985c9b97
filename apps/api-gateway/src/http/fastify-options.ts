import type { FastifyReply } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { GatewayLog } from '../gateway-log.js';
import { sendProblem } from '../problems/problem.filter.js';
import type { GatewayRequest } from './call.js';

export const BODY_LIMIT = 256 * 1024;

/** Accepts correlation ids of clients that are safe in a log line. */
const usableId = /^[A-Za-z0-9._:-]{1,128}$/;

function correlationId(raw: { readonly headers: Readonly<Record<string, string | string[] | undefined>> }): string {
  const given = raw.headers['x-correlation-id'];
  return typeof given === 'string' && usableId.test(given) ? given : randomUUID();
}

/** Settings of the HTTP server. `frameworkErrors` answers URLs that cannot be decoded: they never reach a route. */
export const fastifyOptions = (log: GatewayLog) => ({
  bodyLimit: BODY_LIMIT,
  exposeHeadRoutes: true,
  genReqId: correlationId,
  routerOptions: { maxParamLength: 4096 },
  frameworkErrors: (error: Error, request: GatewayRequest, reply: FastifyReply): void =>
    sendProblem(error, request, reply, log),
});
