import 'reflect-metadata';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report, run, type Figure } from './bench-report.js';
import { startProduct, type Product } from './distributed-product.js';
import type { Delivered, Expected, Subscriptions } from './stream.process.js';

/**
 * `npm run bench -- stream [distributed] [--subscribers n] [--seconds s]` measures the time from an event to its arrival at each of 1,000
 * subscribers: 50 events a second for all, then 500 events a second of which filters give each subscriber a tenth, while one more
 * client does not read and resumes after it was cut off. Baseline: a bare HTTP server that writes the same text to as many responses.
 */
const args = process.argv.slice(2);
const SUBSCRIBERS = numberOption(args, '--subscribers', 1_000);
const SECONDS = numberOption(args, '--seconds', 10);
const PER_SECOND = 50;
const CLUSTERS = 10;
const CLIENTS = 2;
/** The most requests that the writer has open. */
const CONNECTIONS = 32;
/** Long enough that 5,000 events do not fit into the buffers of a connection (4 MB of the sender's kernel and 1 MB of the gateway). */
const PADDING = 'x'.repeat(800);

interface Page {
  readonly items: readonly { readonly position: string }[];
  readonly nextCursor: string | null;
}

/** Subscriber processes that share the paths. */
class Subscribers {
  private constructor(private readonly children: readonly ChildProcess[]) {}

  static async open(of: Subscriptions): Promise<Subscribers> {
    const children = Array.from({ length: CLIENTS }, () => fork(join(__dirname, 'stream.process.js')));
    for (const [i, child] of children.entries()) {
      const { unreadPath, ...rest } = of;
      const paths = of.paths.filter((_, at) => at % CLIENTS === i);
      child.send({ open: { ...rest, paths, ...(i === 0 && unreadPath !== undefined && { unreadPath }) } });
      await once(child, 'message');
    }
    return new Subscribers(children);
  }

  async compare(expected: Expected): Promise<Delivered> {
    const parts = await Promise.all(
      this.children.map(async child => {
        child.send({ expected });
        return ((await once(child, 'message')) as [Delivered])[0];
      }),
    );
    for (const child of this.children) child.kill();
    const sum = (of: (part: Delivered) => number): number => parts.reduce((total, part) => total + of(part), 0);
    const most = (of: (part: Delivered) => number): number => Math.max(...parts.map(of));
    return {
      streams: sum(part => part.streams),
      wrong: sum(part => part.wrong),
      frames: sum(part => part.frames),
      p50Ms: most(part => part.p50Ms),
      p99Ms: most(part => part.p99Ms),
      longestMs: most(part => part.longestMs),
      unreadEnded: parts.some(part => part.unreadEnded),
    };
  }
}

/** Calls `send` at a steady rate, with at most `CONNECTIONS` calls at once; resolves with the rate it reached when all calls have. */
async function steadily(perSecond: number, send: (serial: number) => Promise<unknown> | void): Promise<number> {
  const began = performance.now();
  const open = new Set<Promise<unknown>>();
  for (let serial = 0; serial < perSecond * SECONDS; serial += 1) {
    const early = began + (serial * 1000) / perSecond - performance.now();
    if (early > 0) await new Promise(resolve => setTimeout(resolve, early));
    if (open.size === CONNECTIONS) await Promise.race(open);
    const sent = send(serial);
    if (!sent) continue;
    const done: Promise<unknown> = sent.finally(() => open.delete(done));
    open.add(done);
  }
  await Promise.all(open);
  return (perSecond * SECONDS) / ((performance.now() - began) / 1000);
}

/** Returns the positions of the events after `since` that the filter selects. */
async function positions({ api }: Product, since: number | 'start', filter: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await api.get(`/v1/events?since=${since}&limit=500${filter}${cursor && `&cursor=${cursor}`}`);
    found.push(...page.items.map(item => Number(item.position)));
    cursor = page.nextCursor;
  }
  return found;
}

interface Round {
  readonly perSecond: number;
  readonly filters: readonly string[];
  readonly withUnread: boolean;
}

async function measure(product: Product, clusters: readonly Resource[], round: Round): Promise<Delivered> {
  const { perSecond, filters, withUnread } = round;
  const since = (await positions(product, 'start', '')).at(-1) ?? 0;
  const pathOf = (filter: string): string => `/v1/events?from=${since}${filter}`;
  const paths = Array.from({ length: SUBSCRIBERS }, (_, i) => pathOf(filters[i % filters.length] ?? ''));
  const unread = withUnread ? { unreadPath: pathOf('') } : {};
  const subscribers = await Subscribers.open({ url: product.url, key: product.key, paths, ...unread });
  const reached = await steadily(perSecond, serial => {
    const cluster = clusters[serial % clusters.length];
    return product.api.patch(`/v1/clusters/${cluster?.id}`, { description: `${serial} ${PADDING}` });
  });
  mustBe(reached > perSecond * 0.9, `${reached} of ${perSecond} events/s`);
  const expected: Record<string, readonly number[]> = {};
  for (const filter of new Set([...filters, ''])) expected[pathOf(filter)] = await positions(product, since, filter);
  const delivered = await subscribers.compare(expected);
  mustBe(delivered.streams === SUBSCRIBERS + (withUnread ? 1 : 0), `${delivered.streams} streams`);
  mustBe(delivered.wrong === 0, `${delivered.wrong} streams did not deliver every event once and in order`);
  mustBe(delivered.unreadEnded === withUnread, 'the client that does not read is cut off');
  return delivered;
}

/** Writes frames of the same size to as many responses of a bare server. */
async function bare(): Promise<Delivered> {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    responses.push(response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = Array.from({ length: SUBSCRIBERS }, () => '/');
  const subscribers = await Subscribers.open({ url, key: 'none', paths });
  const ids: number[] = [];
  await steadily(PER_SECOND, serial => {
    ids.push(serial);
    const data = { time: new Date().toISOString(), data: PADDING };
    for (const response of responses) response.write(`id: ${serial}\ndata: ${JSON.stringify(data)}\n\n`);
  });
  const delivered = await subscribers.compare({ '/': ids });
  mustBe(delivered.wrong === 0, 'the bare server delivers every event once');
  server.closeAllConnections();
  server.close();
  return delivered;
}

const figures = (name: string, delivered: Delivered, baseline: Delivered): readonly Figure[] => [
  { figure: `${name}, p50`, value: delivered.p50Ms, unit: 'ms', baseline: baseline.p50Ms },
  { figure: `${name}, p99`, value: delivered.p99Ms, unit: 'ms', target: '<= 250 ms', baseline: baseline.p99Ms },
  { figure: `${name}, longest`, value: delivered.longestMs, unit: 'ms', baseline: baseline.longestMs },
];

run(async () => {
  const floor = await bare();
  const product = await startProduct(args);
  try {
    const clusters: Resource[] = [];
    for (let i = 0; i < CLUSTERS; i += 1) {
      const created = await product.api.post<Resource>('/v1/clusters', { name: `c${i}`, driver: 'fake' });
      mustBe((await product.api.finished(created.operationId ?? '')).status === 'SUCCEEDED', `cluster ${i}`);
      clusters.push(created);
    }
    const filters = clusters.map(({ id }) => `&cluster=${id}`);
    const all = await measure(product, clusters, { perSecond: PER_SECOND, filters: [''], withUnread: false });
    const tenths = await measure(product, clusters, { perSecond: PER_SECOND * CLUSTERS, filters, withUnread: true });
    report('stream', product.adapters, { subscribers: SUBSCRIBERS, frames: [all.frames, tenths.frames] }, [
      ...figures('50 events/s to each', all, floor),
      ...figures('500 events/s, a tenth to each', tenths, floor),
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
});
