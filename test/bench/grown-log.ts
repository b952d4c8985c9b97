import { join } from 'node:path';
import { EmbeddedEventStore, type NewEvent, type RecordedEvent } from '@stave/platform';
import type { Resource } from '../demo/api-client.js';
import { mustBe } from './bench-report.js';
import { startEmbedded, type EmbeddedProduct } from './embedded-product.js';

export interface GrownLog {
  readonly product: EmbeddedProduct;
  /** The directory of the event store. */
  readonly directory: string;
  readonly events: number;
  readonly clusters: number;
  readonly nodes: number;
}

export interface Growth {
  readonly events: number;
  /** The number of nodes of each cluster. */
  readonly perCluster: number;
  /** The number of times that each node is cordoned and uncordoned. */
  readonly cordons?: number;
}

const copied = ['cluster-', 'clusterGroups-', 'nodeGroup-', 'node-', 'placement-'];

type Copy = NewEvent & { readonly stream: string };

/**
 * Creates the data directory of a stopped product with `events` events: the real history of one cluster, copied under
 * other ids.
 */
export async function grownLog({ events: wanted, perCluster, cordons = 0 }: Growth): Promise<GrownLog> {
  const product = await startEmbedded();
  const nodeGroups = [{ name: 'workers', role: 'worker', count: perCluster, flavor: { cpus: 1, memoryMb: 512 } }];
  const body = { name: 'bench', driver: 'fake', nodeGroups };
  const { operationId = '' } = await product.api.post<Resource>('/v1/clusters', body);
  mustBe((await product.api.finished(operationId)).status === 'SUCCEEDED', 'the first cluster');
  for (let i = 0; i < cordons; i += 1) for (const action of ['cordon', 'uncordon']) await onEachNode(product, action);
  await product.close();
  const directory = join(product.dataDir, 'event-store');
  const { events, clusters } = await grow(directory, wanted);
  return { product, directory, events, clusters, nodes: clusters * perCluster };
}

/** Reads every event of the log. */
export async function readAllEvents(store: EmbeddedEventStore): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of pages(store)) for (const event of page) events.push(event);
  return events;
}

export async function* pages(store: EmbeddedEventStore): AsyncIterable<readonly RecordedEvent[]> {
  for (let after = -1; ;) {
    const page = await store.readAll({ ...(after >= 0 && { after }), limit: 5_000 });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.position;
  }
}

async function onEachNode({ api }: EmbeddedProduct, action: string): Promise<void> {
  const { items } = await api.get<{ items: readonly Resource[] }>('/v1/nodes?limit=500');
  for (let i = 0; i < items.length; i += 50)
    await Promise.all(items.slice(i, i + 50).map(({ id }) => api.post(`/v1/nodes/${id}/actions/${action}`, {})));
}

function copyOf(event: RecordedEvent, copy: number): Copy {
  const part = (0x1000 + copy).toString(16);
  const text = JSON.stringify(event)
    .replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-([0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g, `$1-${part}-$2`)
    .replaceAll('"bench"', `"bench-${copy}"`);
  return JSON.parse(text);
}

/** Appends the events of a new stream in pieces below the limit of an append. */
async function appendAll(store: EmbeddedEventStore, stream: string, events: readonly Copy[]): Promise<void> {
  for (let done = 0; done < events.length; done += 500)
    await store.append(stream, events.slice(done, done + 500), done === 0 ? 'no_stream' : done - 1);
}

async function grow(directory: string, wanted: number): Promise<{ events: number; clusters: number }> {
  const store = await EmbeddedEventStore.open({ directory, fsync: false });
  const first = await readAllEvents(store);
  const history = first.filter(e => copied.some(prefix => e.stream.startsWith(prefix)));
  let events = first.length;
  let clusters = 1;
  for (; events < wanted; clusters += 1) {
    const streams = new Map<string, Copy[]>();
    for (const event of history.map(e => copyOf(e, clusters))) {
      const known = streams.get(event.stream);
      if (known) known.push(event);
      else streams.set(event.stream, [event]);
    }
    await Promise.all([...streams].map(([stream, of]) => appendAll(store, stream, of)));
    events += history.length;
  }
  await store.close();
  return { events, clusters };
}
