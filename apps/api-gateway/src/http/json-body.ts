import { HttpException } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { validationFailed } from '@stave/service-kit';
import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../routes/route.js';
import { duplicateMembers } from './duplicate-members.js';

const MERGE_PATCH = 'application/merge-patch+json';
const utf8 = new TextDecoder('utf-8', { fatal: true });
const unsupported = (): HttpException => new HttpException('unsupported media type', 415);

/** Throws 415 for a merge patch that is not sent with PATCH. The body parser refuses other media types. */
export function checkMediaType(route: Route, contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === MERGE_PATCH && route.method !== 'PATCH') throw unsupported();
}

/** Whether the body is neither compressed nor in another character set than UTF-8, as its headers say. */
function isPlain({
  'content-encoding': encoding = 'identity',
  'content-type': type = '',
}: IncomingHttpHeaders): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type)?.[1] ?? 'utf-8';
  return encoding.toLowerCase() === 'identity' && /^utf-?8$/i.test(charset);
}

function malformed(code: string, detail: string): RefusedError {
  const errors = [{ pointer: '', code, detail }];
  return new RefusedError({ code: 'malformed-request', kind: 'invalid', detail: `the body ${detail}`, errors });
}

/**
 * Accepts JSON only. Refuses bodies that are compressed or not in UTF-8, members that would change the prototype of an object, and
 * members that occur twice. An empty body counts as absent.
 */
export function acceptJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.addContentTypeParser(['application/json', MERGE_PATCH], { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isPlain(request.headers)) return done(unsupported(), undefined);
    let text: string;
    try {
      text = typeof body === 'string' ? body : utf8.decode(body);
    } catch {
      return done(malformed('not-utf-8', 'is not UTF-8'), undefined);
    }
    return parse(request, text, (error, value) => {
      if (error)
        return done(malformed('not-json', 'is not JSON, or has a member named __proto__ or constructor'), undefined);
      const duplicates = duplicateMembers(text);
      return duplicates.length > 0 ? done(validationFailed(duplicates), undefined) : done(null, value);
    });
  });
}
