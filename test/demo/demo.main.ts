import 'reflect-metadata';
import { EventFeed, type FeedEvent } from './event-feed.js';
import type { Resource } from './api-client.js';
import { startProduct, type Product } from './product.js';
import { Checks, elapsed, screen } from './screen.js';
import { Demonstration } from './demonstration.js';
import { WorkWatch } from './work-watch.js';

/** `npm run demo [-- fake|docker]` demonstrates the product in a few minutes; exit code 0 only if all checks passed. */
async function main(): Promise<number> {
  const stopped = new AbortController();
  const interrupted = onInterrupt(stopped);
  screen.step('Start Stave: all services, two conductors in the default group and one in site-b');
  const product = await startProduct(process.env, process.argv[2]);
  screen.line(`${product.stave.url}, on ${product.infrastructure.title}`);
  let installation: string | undefined;
  const checks = new Checks(stopped.signal);
  const feed = new EventFeed(product.api);
  try {
    await feed.start();
    const page = await product.api.list<FeedEvent>('/v1/events?since=start&limit=1');
    installation = page[0]?.source.replace('/stave/', '') ?? '';
    await product.infrastructure.prepare();
    const watch = new WorkWatch();
    feed.on(event => watch.see(event));
    const demonstration = new Demonstration({
      product,
      feed,
      watch,
      checks,
      installation,
      signal: stopped.signal,
    }).run();
    if ((await Promise.race([demonstration.then(() => 'finished'), interrupted])) === 'finished')
      return checks.conclude();
    demonstration.catch(() => undefined); // errors after the interruption are consequences of it
    return 130;
  } finally {
    await cleanUp(product, feed, installation);
    screen.plain(`${elapsed()}  stopped; its data directory was removed`);
  }
}

/**
 * Resolves at the first Ctrl-C. A terminal and npm may both send the signal, so only one that arrives 2 s later ends
 * the process.
 */
function onInterrupt(stopped: AbortController): Promise<'interrupted'> {
  return new Promise(resolve => {
    let first: number | undefined;
    const stop = (): void => {
      if (first === undefined) {
        first = performance.now();
        screen.step('Stopping and removing the cluster (press Ctrl-C again to leave it)');
        stopped.abort();
        resolve('interrupted');
      } else if (performance.now() - first > 2_000) process.exit(130);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

/** Removes everything that the demonstration created, whatever its outcome. */
async function cleanUp(product: Product, feed: EventFeed, installation: string | undefined): Promise<void> {
  const { api, infrastructure } = product;
  try {
    for (const { id, status } of await api.list<Resource>('/v1/clusters')) {
      if (status === 'DELETING') continue;
      const { operationId = '' } = await api.delete<Resource>(`/v1/clusters/${id}`);
      const { status: end } = await api.finished(operationId, undefined, 90_000);
      screen.line(`cluster deleted: ${end}`);
    }
  } catch (error) {
    screen.line(`deleting the clusters through the API failed: ${String(error)}`);
  }
  await feed.close();
  await product.close(async () => {
    if (installation === undefined) return;
    const left = await infrastructure.leftovers(installation);
    if (left.length > 0) screen.line(`removed directly from the infrastructure: ${left.join(', ')}`);
    await infrastructure.sweep(installation);
  });
}

main().then(
  code => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
