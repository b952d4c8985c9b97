import 'reflect-metadata';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { startProduct } from './distributed-product.js';
import { buildClusters } from './fleet-at-size.js';
import type { Load, LoadResult } from './load.process.js';

/**
 * `npm run bench -- api [distributed]`: get one, list 200, create, on 1 and on 32 connections, from a client in a process of its own. Yardstick of the
 * same run: a bare Fastify route that answers the same number of bytes to the same client. With `--clusters c --nodes n` a fleet of
 * that size is there before, and more lists are asked for.
 */
const seconds = 4;
const args = process.argv.slice(2);
const targets: Readonly<Record<string, string>> = args.includes('distributed')
  ? { 'get 1': '>= 700/s', 'list 200 1': '>= 150/s', 'create 1': '>= 200/s' }
  : { 'get 1': '>= 2,000/s', 'list 200 1': '>= 400/s', 'create 1': '>= 500/s', 'create 32': '>= 1,500/s' };

/** What is asked of a large fleet beside pages of all of it. */
function lists(common: Pick<Load, 'url' | 'key' | 'seconds'>): Readonly<Record<string, Omit<Load, 'connections'>>> {
  const paths = {
    'one by name': '/v1/clusters/fleet-77',
    'nodes of one cluster by its name': '/v1/nodes?clusterId=FLEET-77',
    'list 200 by status, newest first': '/v1/nodes?limit=200&status=ACTIVE&sort=-createdAt',
    'list 200 by label, by name': '/v1/clusters?limit=200&labels.tier=t7&sort=name',
    'list 200 by two keys without an index': '/v1/nodes?limit=200&sort=zone,-ordinal',
    'count of all that is ACTIVE': '/v1/nodes?limit=1&status=ACTIVE&total=true',
  };
  const loads = Object.entries(paths).map(
    ([name, path]) => [name, { ...common, method: 'GET', path, expect: 200 }] as const,
  );
  return Object.fromEntries(loads);
}

async function ask(client: ChildProcess, load: Load): Promise<LoadResult> {
  client.send(load);
  const [result]: LoadResult[] = await once(client, 'message');
  if (!result) throw new Error('the client gave no result');
  mustBe(result.bad === 0, `${result.bad} answers of ${load.method} ${load.path} were not ${load.expect}`);
  return result;
}

async function bareFastify(): Promise<{ url: string; close(): Promise<unknown> }> {
  const fastify = new FastifyAdapter().getInstance();
  fastify.get('/:bytes', (asked, reply) => {
    const { bytes }: { bytes?: string } = { ...(asked.params ?? {}) };
    return reply.header('content-type', 'application/json').send(JSON.stringify('x'.repeat(Number(bytes) - 2)));
  });
  const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => fastify.close() };
}

run(async () => {
  const product = await startProduct(args);
  const bare = await bareFastify();
  const client = fork(join(__dirname, 'load.process.js'));
  try {
    const nodeGroups = [{ name: 'workers', role: 'worker', count: 200, flavor: { cpus: 1, memoryMb: 512 } }];
    const { operationId = '' } = await product.api.post<Resource>('/v1/clusters', {
      name: 'bench',
      driver: 'fake',
      nodeGroups,
    });
    mustBe((await product.api.finished(operationId)).status === 'SUCCEEDED', 'the cluster of 200 nodes');
    const clusters = numberOption(args, '--clusters', 0);
    if (clusters > 0) await buildClusters(product, clusters, numberOption(args, '--nodes', 10));
    const [node] = await product.api.list<Resource>('/v1/nodes?limit=200');
    const common = { url: product.url, key: product.key, seconds };
    const works = {
      get: { ...common, method: 'GET', path: `/v1/nodes/${node?.id ?? ''}`, expect: 200 },
      'list 200': { ...common, method: 'GET', path: '/v1/nodes?limit=200', expect: 200 },
      ...(clusters > 0 ? lists(common) : {}),
      create: {
        ...common,
        method: 'POST',
        path: '/v1/clusters',
        body: '{"name":"{name}","driver":"fake"}',
        expect: 202,
      },
    } satisfies Readonly<Record<string, Omit<Load, 'connections'>>>;
    const figures: Figure[] = [];
    for (const [name, work] of Object.entries(works))
      for (const connections of [1, 32]) {
        if (work.path.includes('?'))
          mustBe((await product.api.list(work.path)).length > 0, `${work.path} lists something`);
        await ask(client, { ...work, connections, seconds: 1 });
        const own = await ask(client, { ...work, connections });
        const path = `/${own.bytes}`;
        const floor = await ask(client, {
          ...common,
          method: 'GET',
          path,
          expect: 200,
          url: bare.url,
          connections,
          seconds: 2,
        });
        const target = targets[`${name} ${connections}`];
        const figure = `${name}, ${connections} connection${connections > 1 ? 's' : ''}`;
        figures.push({
          figure,
          value: own.perSecond,
          unit: '1/s',
          yardstick: floor.perSecond,
          ...(target !== undefined && { target }),
        });
        const limit = name === 'create' ? '<= 25 ms' : '<= 10 ms';
        figures.push({
          figure: `${figure}: p99`,
          value: own.p99Ms,
          unit: 'ms',
          yardstick: floor.p99Ms,
          ...(connections === 32 && !args.includes('distributed') && { target: limit }),
        });
      }
    report('api', product.adapters, { seconds, clusters }, figures);
  } finally {
    client.kill();
    await bare.close();
    await product.close();
    await product.remove();
  }
});
