import { join } from 'node:path';
import { HttpException } from '@nestjs/common';
import send, { mime } from '@fastify/send';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '@stave/platform';
import { encodingOf } from '../http/compression.js';
import { sendProblem } from '../problems/problem.filter.js';
import { notFound } from '../problems/refusals.js';
import { SitePolicy } from './site-policy.js';

const PAGE = 'index.html';
const ASSETS = 'assets/';
/** The status of a range that is not in the file. */
const UNSATISFIABLE = 416;
const endings = { br: '.br', gzip: '.gz' } as const;

/** Where `npm run docs` builds the site of the documentation. */
const helpDirectory = (): string => join(__dirname, '../../../../docs/dist');

/** The file itself, or before it the compressed copy that the client takes. */
type Variant = readonly [ending: string, encoding?: string];

async function fileOf(request: FastifyRequest, path: string, root: string) {
  const encoding = encodingOf(request.headers['accept-encoding']);
  const variants: readonly Variant[] = [...(encoding ? [[endings[encoding], encoding] as const] : []), ['']];
  for (const [ending, used] of variants) {
    const options = { root, index: false, dotfiles: 'deny', cacheControl: false, contentType: false } as const;
    const { type, statusCode, headers, stream } = await send(request.raw, encodeURI(path + ending), options);
    if (type === 'file' || statusCode === UNSATISFIABLE) return { statusCode, headers, stream, encoding: used };
  }
  return undefined;
}

function typeOf(path: string): string {
  const type = mime.getType(path) ?? 'application/octet-stream';
  return /^text\/|javascript|json|svg/.test(type) ? `${type}; charset=utf-8` : type;
}

/**
 * Serves the site of the documentation below `/help`. It may be built while the gateway runs, because it needs packages that the product
 * does not need; until then every path below `/help` is a 404 that says how it is built.
 */
export function serveHelp(fastify: FastifyInstance, log: Logger, directory = helpDirectory()): void {
  const policy = new SitePolicy(join(directory, PAGE));

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const refuse = (detail: string): FastifyReply => {
      sendProblem(notFound(detail), request, reply, log);
      return reply;
    };
    const allowed = await policy.current();
    if (allowed === undefined) return refuse('the help is not built: `npm run docs` builds it');
    const { '*': asked = '' } = request.params as { readonly '*'?: string };
    const path = asked === '' ? PAGE : asked;
    const file = await fileOf(request, path, directory);
    if (!file) return refuse('there is no such page of the help');
    if (file.statusCode === UNSATISFIABLE) {
      void reply.headers({ 'Content-Range': file.headers['Content-Range'], Vary: 'accept-encoding' });
      sendProblem(new HttpException('range not satisfiable', UNSATISFIABLE), request, reply, log);
      return reply;
    }
    if (file.encoding !== undefined) void reply.header('Content-Encoding', file.encoding);
    return reply
      .code(file.statusCode)
      .headers({
        ...file.headers,
        'Content-Type': typeOf(path),
        'Content-Security-Policy': allowed,
        'Cache-Control': path.startsWith(ASSETS) ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
        Vary: 'accept-encoding',
      })
      .send(file.stream);
  }

  fastify.get('/help', (_request, reply) => reply.redirect('/help/', 308));
  fastify.get('/help/*', answer);
}
