import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Logger, ServedCertificate } from '@stave/platform';
import type { GatewaySettings } from '../gateway.tokens.js';
import { answerClientError } from './client-errors.js';
import type { Metrics } from '../observability/metrics.js';
import { sendProblem } from '../problems/problem.filter.js';

/** Accepts correlation ids of clients that are safe in a log line. */
const usableId = /^[A-Za-z0-9._:-]{1,128}$/;

function correlationId(raw: { readonly headers: Readonly<Record<string, string | string[] | undefined>> }): string {
  const given = raw.headers['x-correlation-id'];
  return typeof given === 'string' && usableId.test(given) ? given : randomUUID();
}

/** How often connections are checked for requests that take too long. */
const CHECK_MS = 500;

/** Room for a bearer of 16 kB and the other headers. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Milliseconds that a client has for the handshake of TLS. */
const HANDSHAKE_MS = 10_000;

/** Settings of the HTTP server, over TLS with a certificate. `frameworkErrors` answers URLs that cannot be decoded: they never reach a route. */
export const fastifyOptions = (
  log: Logger,
  { headersTimeoutMs, receiveTimeoutMs }: GatewaySettings,
  certificate: ServedCertificate | undefined,
) => ({
  bodyLimit: 256 * 1024,
  exposeHeadRoutes: true,
  genReqId: correlationId,
  requestTimeout: receiveTimeoutMs,
  ...serverOptions(headersTimeoutMs, certificate),
  clientErrorHandler: answerClientError,
  routerOptions: { maxParamLength: 4096 },
  frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply): void =>
    sendProblem(error, request, reply, log),
});

/** Fastify takes the options of the server under the name of its protocol. */
function serverOptions(headersTimeout: number, certificate: ServedCertificate | undefined) {
  const http = {
    headersTimeout,
    connectionsCheckingInterval: CHECK_MS,
    requireHostHeader: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  if (!certificate) return { http };
  return { https: { ...http, ...certificate.serverOptions, handshakeTimeout: HANDSHAKE_MS } };
}

/** Headers of every response; a route can say otherwise. */
const always = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Adds the correlation id and the common headers to every response and measures it under the pattern of its route. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'X-Correlation-Id': request.id, ...always });
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    metrics.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
