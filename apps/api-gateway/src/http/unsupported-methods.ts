import { HttpException } from '@nestjs/common';
import type { Logger } from '@stave/platform';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../problems/problem.filter.js';
import { allRoutes } from '../routes/index.js';

const patterns = allRoutes.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[a-zA-Z]+/g, '[^/]+')}/?$`),
}));

/** What is served as files, which the routes do not declare. */
const FILES = /^\/(?:(?:console|help)(?:\/.*)?|docs\/)$/;

/** Returns the methods of the routes with this path; none for an unknown path. */
export function allowedMethods(url: string): readonly string[] {
  const [path = ''] = url.split('?');
  if (FILES.test(path)) return ['GET', 'HEAD'];
  const declared = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  return [...new Set(declared.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}

/** Answers 405 with Allow when the path exists with other methods. */
export function refuseUnsupportedMethods(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const allowed = request.is404 ? allowedMethods(request.url) : [];
    // with a slash too many at its end a path is unknown, whatever the method
    if (allowed.length === 0 || allowed.includes(request.method)) return done();
    void reply.header('Allow', allowed.join(', '));
    return sendProblem(new HttpException('method not allowed', 405), request, reply, log);
  });
}
