import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../observability/metrics.js';
import type { GatewayRequest } from './call.js';

/** Adds the correlation id to every response and measures it under the pattern of its route. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics): void {
  fastify.addHook('onRequest', (request: GatewayRequest, reply, done) => {
    request.correlationId = request.id;
    void reply.header('X-Correlation-Id', request.id);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    metrics.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
