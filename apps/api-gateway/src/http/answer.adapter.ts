import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Answer } from './answer.js';
import type { GatewayRequest } from './call.js';
import { jsonText } from './json-text.js';
import { member } from './members.js';

/** Sends the answer of a handler: status, headers, and the body as JSON unless it is text, bytes or a stream of text. */
export class AnswerAdapter extends FastifyAdapter {
  override reply(reply: FastifyReply, { status, headers, body, changed }: Answer): FastifyReply {
    void reply.status(status).headers(headers);
    if (reply.request.method !== 'GET') noteChanged(reply.request, changed ?? body);
    if (body instanceof Readable && reply.request.method === 'HEAD') {
      body.destroy(); // a HEAD request does not read it
      return reply.send();
    }
    if (body instanceof Readable) {
      void reply.send(body);
      reply.raw.flushHeaders(); // the first text can be late
      return reply;
    }
    if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return reply.send(body);
    if (!reply.hasHeader('content-type')) void reply.header('content-type', 'application/json; charset=utf-8');
    return reply.send(jsonText(body));
  }
}

/** Remembers which resource was changed, for the audit. */
function noteChanged(request: GatewayRequest, resource: unknown): void {
  const [id, projectId] = [member(resource, 'id'), member(resource, 'projectId')];
  request.changed = {
    ...(typeof id === 'string' && { id }),
    ...(typeof projectId === 'string' && { projectId }),
  };
}
