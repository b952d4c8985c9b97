import { HttpException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { jsonTypes } from './media-type.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON is the only media type. Bytes that are not UTF-8 and members that would change an object's prototype are malformed; an
 * empty body is no body.
 */
export function acceptJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.addContentTypeParser([...jsonTypes], { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = typeof body === 'string' ? body : utf8.decode(body);
    } catch (cause) {
      return done(new HttpException('the body is not UTF-8', 400, { cause }), undefined);
    }
    return parse(request, text, done);
  });
}
