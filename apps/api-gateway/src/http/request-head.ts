import { HttpException } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '@stave/platform';
import { sendProblem } from '../problems/problem.filter.js';
import { answerOnSocket } from './client-errors.js';

const CONTINUE = '100-continue';

const hostRequired = new RefusedError({
  code: 'host-required',
  kind: 'invalid',
  detail: 'the header Host is required',
  errors: [{ pointer: 'Host', code: 'required', detail: 'is required' }],
});

function refusalOf({ raw, headers }: FastifyRequest): Error | undefined {
  if (raw.httpVersion === '1.1' && headers.host === undefined) return hostRequired;
  const isKnown = headers.expect === undefined || headers.expect.toLowerCase() === CONTINUE;
  return isKnown ? undefined : new HttpException('expectation failed', 417);
}

/**
 * Answers with problem documents what Node would answer by itself with an empty body or not at all: a request without Host (the server
 * must be made with `requireHostHeader: false`), with an unknown expectation, or for a tunnel.
 */
export function refuseMalformedHeads(fastify: FastifyInstance, log: Logger): void {
  const asOthers = (request: IncomingMessage, response: ServerResponse): void =>
    void fastify.server.emit('request', request, response);
  fastify.server.on('checkExpectation', asOthers).on('checkContinue', asOthers);
  fastify.server.on('connect', (_request: IncomingMessage, socket: Duplex) => answerOnSocket(socket, 405, ['Allow: ']));
  fastify.addHook('onRequest', (request, reply, done) => {
    const refusal = refusalOf(request);
    if (refusal) sendProblem(refusal, request, reply, log);
    else done();
  });
}

/** Asks a client that waits for it to send the body. Added after all that refuses a request by its head. */
export function askForBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done();
  });
}
