import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { begin, within, type Logger, type ServedCertificate } from '@stave/platform';
import type { GatewayRequest } from './call.js';
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
  // what arrives on open connections while the gateway ends is answered as before, and ends its connection
  return503OnClosing: false,
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

/** Begins the span of each request, in which its commands are sent. */
export function traceRequests(fastify: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, ReturnType<typeof begin>['span']>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const given = request.headers['traceparent'];
    const parent = typeof given === 'string' ? given : undefined;
    const { span, within: context } = begin(request.method, { kind: 'server', parent });
    spans.set(request, span);
    within(context, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const span = spans.get(request);
    span?.updateName(`${request.method} ${route}`);
    span?.setAttributes({
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'stave.correlation_id': request.id,
    });
    span?.end();
    done();
  });
}

/** The id of the API key or the subject; undefined before somebody is known. */
const actorOf = (request: FastifyRequest): string | undefined => (request as GatewayRequest).actor?.keyId;

/** Adds the correlation id and the common headers to every response, measures it under the pattern of its route, and logs it: accepted changes as `info`, everything else as `debug`. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'X-Correlation-Id': request.id, ...always });
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = request.routeOptions.url ?? 'unknown';
    metrics.observe(method, route, status, elapsedTime / 1000);
    const actor = actorOf(request);
    // what nobody in particular may send, such as a sign-out, must not fill a disk
    const isChange = actor !== undefined && status < 400 && method !== 'GET' && method !== 'HEAD';
    if (isChange || log.isLevelEnabled('debug')) {
      const fields = {
        correlationId: request.id,
        method,
        route,
        status,
        ms: Math.round(elapsedTime),
        actor,
      };
      log[isChange ? 'info' : 'debug'](fields, 'request');
    }
    done();
  });
}
