import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalPath, readJournal, type JournalEntry } from '@stave/driver-fake';
import { stableId } from '@stave/domain';
import { EmbeddedEventStore, idOf, type NewEvent, type RecordedEvent } from '@stave/platform';
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
  /** The number of events, or of clusters, that the log has at least. */
  readonly atLeast: { readonly events: number } | { readonly clusters: number };
  /** The number of nodes of each cluster. */
  readonly perCluster: number;
  /** The number of times that each node is cordoned and uncordoned. */
  readonly cordons?: number;
}

const copied = ['cluster-', 'clusterGroups-', 'nodeGroup-', 'node-', 'placement-'];

/** More than the units of the first cluster. */
const UNITS_PER_COPY = 10_000;

interface TaskData {
  readonly taskId?: string;
  readonly kind: string;
  readonly generation: number;
}

type Copy = NewEvent & { readonly stream: string };

/**
 * Creates the data directory of a stopped product of this size: the real history of one cluster and its units in the fake cloud, copied
 * under other ids.
 */
export async function grownLog({ atLeast, perCluster, cordons = 0 }: Growth): Promise<GrownLog> {
  const product = await startEmbedded();
  const nodeGroups = [{ name: 'workers', role: 'worker', count: perCluster, flavor: { cpus: 1, memoryMb: 512 } }];
  const body = { name: 'bench', driver: 'fake', nodeGroups };
  const { operationId = '' } = await product.api.post<Resource>('/v1/clusters', body);
  mustBe((await product.api.finished(operationId)).status === 'SUCCEEDED', 'the first cluster');
  for (let i = 0; i < cordons; i += 1) for (const action of ['cordon', 'uncordon']) await onEachNode(product, action);
  await product.close();
  const directory = join(product.dataDir, 'event-store');
  const journal = await journalOf(product.dataDir);
  const identity = await readFile(join(product.dataDir, 'fake-cloud', 'identity'), 'utf8');
  // the installation and the cloud are the same in all copies
  const kept = new Set([identity.trim()]);
  for (const { installation = '' } of journal) kept.add(installation);
  const { events, clusters } = await grow(directory, atLeast, kept);
  await growCloud(product.dataDir, journal, clusters, kept);
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

/** Returns the part of an id in which the copies of a resource differ from each other and from the original. */
const partOf = (part: string, copy: number): string => (parseInt(part, 16) ^ copy).toString(16).padStart(4, '0');

/** Returns the value with other ids of resources, units and clusters. Those in `kept` remain. */
function copyOf<T>(value: T, copy: number, kept: ReadonlySet<string>): T {
  const text = JSON.stringify(value)
    .replace(/\b([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g, (id, first, part, rest) =>
      kept.has(id) ? id : `${first}-${partOf(part, copy)}-${rest}`,
    )
    .replace(/"fc-(\d+)"/g, (_id, number) => `"fc-${Number(number) + copy * UNITS_PER_COPY}"`)
    .replaceAll('"bench"', `"bench-${copy}"`);
  return JSON.parse(text);
}

/** Returns the event of a copy. The ids of tasks follow from those of the resources. */
function copiedEvent(event: RecordedEvent, copy: number, kept: ReadonlySet<string>): Copy {
  const copied = copyOf(event as RecordedEvent<TaskData>, copy, kept);
  const { taskId, kind, generation } = copied.data;
  if (taskId === undefined) return copied;
  return { ...copied, data: { ...copied.data, taskId: stableId(idOf(copied), kind, generation) } };
}

/** Appends the events of a new stream in pieces below the limit of an append. */
async function appendAll(store: EmbeddedEventStore, stream: string, events: readonly Copy[]): Promise<void> {
  for (let done = 0; done < events.length; done += 500)
    await store.append(stream, events.slice(done, done + 500), done === 0 ? 'no_stream' : done - 1);
}

interface Grown {
  readonly events: number;
  readonly clusters: number;
}

async function grow(directory: string, atLeast: Growth['atLeast'], kept: ReadonlySet<string>): Promise<Grown> {
  const store = await EmbeddedEventStore.open({ directory, fsync: false });
  const first = await readAllEvents(store);
  const history = first.filter(e => copied.some(prefix => e.stream.startsWith(prefix)));
  let events = first.length;
  let clusters = 1;
  const isEnough = (): boolean => ('events' in atLeast ? events >= atLeast.events : clusters >= atLeast.clusters);
  for (; !isEnough(); clusters += 1) {
    const streams = new Map<string, Copy[]>();
    for (const event of history.map(e => copiedEvent(e, clusters, kept))) {
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

async function journalOf(dataDir: string): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(journalPath(dataDir))) entries.push(entry);
  return entries;
}

/** Appends to the journal of the fake cloud what built the units of the first cluster, for each copy of it. */
async function growCloud(
  dataDir: string,
  journal: readonly JournalEntry[],
  clusters: number,
  kept: ReadonlySet<string>,
): Promise<void> {
  const built = journal.filter(({ put }) => put);
  let seq = journal.at(-1)?.seq ?? 0;
  for (let copy = 1; copy < clusters; copy += 1) {
    const lines = built.map(entry => JSON.stringify({ ...copyOf(entry, copy, kept), seq: (seq += 1) }));
    await appendFile(journalPath(dataDir), `${lines.join('\n')}\n`);
  }
}
