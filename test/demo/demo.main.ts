import 'reflect-metadata';
import { EventFeed, type FeedEvent } from './event-feed.js';
import type { Resource } from './api-client.js';
import { startProduct, type Product } from './product.js';
import { Checks, elapsed, screen } from './screen.js';
import { Story } from './story.js';
import { WorkWatch } from './work-watch.js';

/** `npm run demo [-- fake|docker]`: the whole path in a few minutes; exit code 0 only if all was as it should be. */
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
    const story = new Story({ product, feed, watch, checks, installation, signal: stopped.signal }).run();
    if ((await Promise.race([story.then(() => 'finished'), interrupted])) === 'finished') return checks.conclude();
    story.catch(() => undefined); // interrupted: later errors of the story have no meaning
    return 130;
  } finally {
    await tidy(product, feed, installation);
    screen.plain(`${elapsed()}  stopped; its data directory is removed`);
  }
}

/** Resolves at the first Ctrl-C. A terminal and npm may both send it: only one that comes later means it. */
function onInterrupt(stopped: AbortController): Promise<'interrupted'> {
  return new Promise(resolve => {
    let first: number | undefined;
    const stop = (): void => {
      if (first === undefined) {
        first = performance.now();
        screen.step('Stopping: removing what was made (again to leave it as it is)');
        stopped.abort();
        resolve('interrupted');
      } else if (performance.now() - first > 2_000) process.exit(130);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

/** Whatever happened: nothing stays behind. */
async function tidy(product: Product, feed: EventFeed, installation: string | undefined): Promise<void> {
  const { api, infrastructure } = product;
  try {
    for (const { id, status } of await api.list<Resource>('/v1/clusters')) {
      if (status === 'DELETING') continue;
      const { operationId = '' } = await api.delete<Resource>(`/v1/clusters/${id}`);
      const { status: end } = await api.finished(operationId, undefined, 90_000);
      screen.line(`cluster deleted: ${end}`);
    }
  } catch (error) {
    screen.line(`deleting through the API did not work: ${String(error)}`);
  }
  await feed.close();
  await product.close(async () => {
    if (installation === undefined) return;
    const left = await infrastructure.leftovers(installation);
    if (left.length > 0) screen.line(`left behind, removed directly: ${left.join(', ')}`);
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
