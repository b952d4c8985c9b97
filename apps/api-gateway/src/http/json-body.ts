import { HttpException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { jsonTypes } from './media-type.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts JSON only. Refuses bytes that are not UTF-8 and members that would change the prototype of an object. An empty body counts
 * as absent.
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
