import { HttpException } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { validationFailed } from '@stave/service-kit';
import type { Route } from '../routes/route.js';
import { duplicateMembers } from './duplicate-members.js';

const MERGE_PATCH = 'application/merge-patch+json';
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws 415 for a merge patch that is not sent with PATCH. The body parser refuses other media types. */
export function checkMediaType(route: Route, contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === MERGE_PATCH && route.method !== 'PATCH') throw new HttpException('unsupported media type', 415);
}

/**
 * Accepts JSON only. Refuses bytes that are not UTF-8, members that would change the prototype of an object, and members that occur
 * twice. An empty body counts as absent.
 */
export function acceptJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.addContentTypeParser(['application/json', MERGE_PATCH], { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = typeof body === 'string' ? body : utf8.decode(body);
    } catch (cause) {
      return done(new HttpException('the body is not UTF-8', 400, { cause }), undefined);
    }
    return parse(request, text, (error, value) => {
      if (error) return done(error, undefined);
      const duplicates = duplicateMembers(text);
      return duplicates.length > 0 ? done(validationFailed(duplicates), undefined) : done(null, value);
    });
  });
}
