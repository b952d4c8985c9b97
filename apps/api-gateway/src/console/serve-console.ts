import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '@stave/platform';
import { encodingOf } from '../http/compression.js';
import { sendProblem } from '../problems/problem.filter.js';
import { notFound } from '../problems/refusals.js';
import { consoleDirectory, readConsole, type ConsoleFile, type ConsoleFiles } from './console-files.js';

const PAGE = 'index.html';
const NONCE = '__NONCE__';

/** Scripts come from this origin only, none is inline. The component library writes style elements, which carry the nonce. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = {
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64url');
  return reply
    .headers({
      ...pageHeaders,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyWith(nonce),
    })
    .send(page.replace(NONCE, nonce));
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const encoding = encodingOf(request.headers['accept-encoding']);
  const bytes = encoding && file.encoded[encoding];
  void reply.headers({
    'Content-Type': file.type,
    'Cache-Control': file.isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    Vary: 'accept-encoding',
  });
  if (bytes) void reply.header('Content-Encoding', encoding);
  return reply.send(bytes || file.plain);
}

/** Serves the console below `/console`: its files, and for every other path its page, which reads the path. */
export function serveConsole(
  fastify: FastifyInstance,
  log: Logger,
  files: ConsoleFiles = readConsole(consoleDirectory()),
): void {
  const page = files.get(PAGE)?.plain.toString();
  if (page === undefined) log.warn('the console is not built: npm start builds it');
  fastify.get('/console', (_request, reply) => reply.redirect('/console/', 308));
  fastify.get('/console/*', (request, reply) => {
    const { '*': path = '' } = request.params as { readonly '*'?: string };
    const file = path === PAGE ? undefined : files.get(path);
    if (file) return sendFile(request, reply, file);
    if (page !== undefined && !path.startsWith('assets/')) return sendPage(reply, page);
    sendProblem(notFound('there is no such file of the console'), request, reply, log);
    return reply;
  });
}
