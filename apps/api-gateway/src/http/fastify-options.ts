import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { GatewayLog } from '../gateway.tokens.js';
import type { Metrics } from '../observability/metrics.js';
import { sendProblem } from '../problems/problem.filter.js';

/** Accepts correlation ids of clients that are safe in a log line. */
const usableId = /^[A-Za-z0-9._:-]{1,128}$/;

function correlationId(raw: { readonly headers: Readonly<Record<string, string | string[] | undefined>> }): string {
  const given = raw.headers['x-correlation-id'];
  return typeof given === 'string' && usableId.test(given) ? given : randomUUID();
}

/** Settings of the HTTP server. `frameworkErrors` answers URLs that cannot be decoded: they never reach a route. */
export const fastifyOptions = (log: GatewayLog) => ({
  bodyLimit: 256 * 1024,
  exposeHeadRoutes: true,
  genReqId: correlationId,
  routerOptions: { maxParamLength: 4096 },
  frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply): void =>
    sendProblem(error, request, reply, log),
});

/** Adds the correlation id to every response and measures it under the pattern of its route. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Correlation-Id', request.id);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    metrics.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
