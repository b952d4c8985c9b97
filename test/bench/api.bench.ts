import 'reflect-metadata';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Resource } from '../demo/api-client.js';
import type { BareHop } from './bare-hop.process.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { startProduct, type Product } from './distributed-product.js';
import { buildClusters } from './fleet-at-size.js';
import type { Load, LoadResult } from './load.process.js';

type Common = Pick<Load, 'url' | 'key' | 'seconds'>;
type Work = Omit<Load, 'connections'>;

/**
 * `npm run bench -- api [distributed]` measures reading one node, listing 200 and creating clusters, on 1 and on 32 connections, from
 * a client in a separate process. Baseline: a bare Fastify route that sends the same number of bytes to the same client; the product in
 * separate processes is also compared with such a route that asks another process over NATS. With
 * `--clusters c --nodes n` a fleet of that size is created first, and more lists are measured.
 */
const seconds = 4;
const args = process.argv.slice(2);
/** The requests of one second make the code of one process fast; seven processes share them. */
const warmUpSeconds = args.includes('distributed') ? 5 : 1;
/**
 * The bare route has answered tens of thousands of requests when it is measured. A creation in separate processes takes a quarter less CPU after
 * some thousand others than after some hundred.
 */
const warmUpCreations = args.includes('distributed') ? 2_500 : 0;
const targets: Readonly<Record<string, string>> = args.includes('distributed')
  ? {
      'get 1': '>= 700/s, 25 % of the baseline',
      'list 200 1': '>= 150/s',
      'create 1': '>= 200/s, 4 % of the baseline',
      'create 32': '>= 8 % of the baseline',
    }
  : {
      'get 1': '>= 2,000/s',
      'list 200 1': '>= 400/s',
      'create 1': '>= 500/s, 10 % of the baseline',
      'create 32': '>= 1,500/s, 12 % of the baseline',
    };

/** Returns the lists that are measured on a large fleet besides the first page of nodes. */
function lists(common: Common): Readonly<Record<string, Work>> {
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
  if (!result) throw new Error('the load process ended without a result');
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

/**
 * Measures a bare Fastify route that asks another process over NATS for an answer of so many bytes, and does nothing else: what a read of the
 * product in separate processes costs at least.
 */
async function measureBareHop(client: ChildProcess, natsUrl: string, load: Load): Promise<readonly Figure[]> {
  const children = (['answer', 'route'] as const).map(role => {
    const child = fork(join(__dirname, 'bare-hop.process.js'));
    return { role, child };
  });
  try {
    const own = await ask(client, load);
    let url = '';
    for (const { role, child } of children) {
      const hop: BareHop = { role, natsUrl, bytes: own.bytes };
      child.send(hop);
      [url = ''] = (await once(child, 'message')) as string[];
    }
    const bareLoad = { ...load, url, path: '/' };
    await ask(client, { ...bareLoad, seconds: warmUpSeconds });
    const bare = await ask(client, bareLoad);
    const after = await ask(client, load);
    const figure = `get, ${load.connections} connection${load.connections > 1 ? 's' : ''}, beside a bare route over NATS`;
    const value = (own.perSecond + after.perSecond) / 2;
    return [{ figure, value, unit: '1/s', baseline: bare.perSecond }];
  } finally {
    for (const { child } of children) child.kill();
  }
}

/** Returns the requests that are measured, by the name of their figure. */
function loads(common: Common, nodeId: string, large: boolean): Readonly<Record<string, Work>> {
  const body = '{"name":"{name}","driver":"fake"}';
  return {
    get: { ...common, method: 'GET', path: `/v1/nodes/${nodeId}`, expect: 200 },
    'list 200': { ...common, method: 'GET', path: '/v1/nodes?limit=200', expect: 200 },
    ...(large ? lists(common) : {}),
    create: { ...common, method: 'POST', path: '/v1/clusters', body, expect: 202 },
  };
}

/** Measures a request and its baseline; returns the figures of rate and latency. */
async function measure(client: ChildProcess, name: string, load: Load, baseUrl: string): Promise<readonly Figure[]> {
  const { connections } = load;
  const atLeast = name === 'create' ? warmUpCreations : 0;
  await ask(client, { ...load, seconds: warmUpSeconds, atLeast });
  const own = await ask(client, load);
  const floor = await ask(client, {
    url: baseUrl,
    key: load.key,
    method: 'GET',
    path: `/${own.bytes}`,
    expect: 200,
    connections,
    seconds: 2,
  });
  const target = targets[`${name} ${connections}`];
  const limit = name === 'create' ? '<= 25 ms, 4 x the baseline' : '<= 10 ms';
  const figure = `${name}, ${connections} connection${connections > 1 ? 's' : ''}`;
  return [
    {
      figure,
      value: own.perSecond,
      unit: '1/s',
      baseline: floor.perSecond,
      ...(target !== undefined && { target }),
    },
    {
      figure: `${figure}: p99`,
      value: own.p99Ms,
      unit: 'ms',
      baseline: floor.p99Ms,
      ...(connections === 32 && !args.includes('distributed') && { target: limit }),
    },
  ];
}

/** Creates a cluster of 200 nodes. */
async function createNodes({ api }: Product): Promise<void> {
  const nodeGroups = [{ name: 'workers', role: 'worker', count: 200, flavor: { cpus: 1, memoryMb: 512 } }];
  const body = { name: 'bench', driver: 'fake', nodeGroups };
  const { operationId = '' } = await api.post<Resource>('/v1/clusters', body);
  mustBe((await api.finished(operationId)).status === 'SUCCEEDED', 'the cluster of 200 nodes');
}

run(async () => {
  const product = await startProduct(args);
  const bare = await bareFastify();
  const client = fork(join(__dirname, 'load.process.js'));
  try {
    await createNodes(product);
    const clusters = numberOption(args, '--clusters', 0);
    if (clusters > 0) await buildClusters(product, clusters, numberOption(args, '--nodes', 10));
    const [node] = await product.api.list<Resource>('/v1/nodes?limit=200');
    const common = { url: product.url, key: product.key, seconds };
    const figures: Figure[] = [];
    for (const [name, work] of Object.entries(loads(common, node?.id ?? '', clusters > 0)))
      for (const connections of [1, 32]) {
        if (work.path.includes('?'))
          mustBe((await product.api.list(work.path)).length > 0, `${work.path} lists something`);
        figures.push(...(await measure(client, name, { ...work, connections }, bare.url)));
      }
    const { natsUrl } = product;
    const read = loads(common, node?.id ?? '', false)['get'];
    if (natsUrl !== undefined && read)
      for (const connections of [1, 32])
        figures.push(...(await measureBareHop(client, natsUrl, { ...read, connections })));
    report('api', product.adapters, { seconds, clusters }, figures);
  } finally {
    client.kill();
    await bare.close();
    await product.close();
    await product.remove();
  }
});
