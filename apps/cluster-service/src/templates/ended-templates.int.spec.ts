import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { createLogger, type EventStore, type RecordedEvent, type StoredDocument } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import {
  documentOf,
  historyContext,
  HistoryFeed,
  partsOf,
  replay,
  SnapshotFile,
  UpcastingEventStore,
} from '@stave/service-kit';
import { ClustersHarness, PROJECT, type Replica } from '../clusters/clusters.fixture.js';
import { clusterTemplateResource } from './cluster-template.resource.js';
import { TemplateProjection } from './template.projection.js';
import {
  asked,
  groupTemplatesIn,
  harnessAfter,
  logOf,
  type Asked,
  type Kind,
  type TemplateView,
} from './templates.fixture.js';

const flavor = { cpus: 1, memoryMb: 512 };
const worker = (name: string) => ({ name, role: 'worker', count: 1, flavor });
const { type } = clusterTemplateResource;

let harness: ClustersHarness;
let replica: Replica;
let store: EventStore;
beforeEach(async () => {
  harness = await ClustersHarness.open();
  store = UpcastingEventStore.from(harness.store);
  replica = await harness.replica();
});
afterEach(() => harness.close());

const ask = (kind: Kind, verb: Asked['verb'], body: object): Promise<TemplateView> =>
  asked(harness, replica, { kind, verb, body });
const move = (id: string, clusterTemplateId: string | null): Promise<TemplateView> =>
  ask('node-group-template', 'patch', { id, patch: { clusterTemplateId } });

/** Two cluster templates, of which the second is deleted where `all` is, with node group templates that come, move and go. */
async function lives(all: boolean): Promise<readonly string[]> {
  const nodeGroups = [worker('a'), worker('b')];
  const one = await ask('cluster-template', 'create', { name: 'one', nodeGroups });
  const two = await ask('cluster-template', 'create', { name: 'two', nodeGroups: [worker('c')] });
  const moved = await ask('node-group-template', 'create', worker('moved'));
  const gone = await ask('node-group-template', 'create', { ...worker('gone'), clusterTemplateId: one.id });
  for (const parent of [one.id, two.id, null, one.id]) await move(moved.id, parent);
  await ask('cluster-template', 'patch', { id: one.id, patch: { labels: { n: '1' } } });
  await ask('node-group-template', 'delete', { id: gone.id });
  await ask('node-group-template', 'delete', { id: one.nodeGroupTemplates?.[0]?.id });
  await move(moved.id, two.id);
  await move(moved.id, null);
  await ask('cluster-template', 'delete', { id: one.id });
  if (all) {
    await ask('cluster-template', 'delete', { id: two.id });
    await ask('node-group-template', 'delete', { id: moved.id });
  }
  return [one.id, two.id];
}

/** Forgets what can be forgotten; what depends on something else leaves after it. */
function forget(live: TemplateProjection): void {
  for (let round = 0; round < 2; round += 1)
    for (const { ended, isDone, forget: drop } of live.retentions()) for (const id of ended()) if (isDone(id)) drop(id);
}

function projectionOf(events: readonly RecordedEvent[]): TemplateProjection {
  const live = new TemplateProjection(store);
  const feed = new HistoryFeed();
  live.follow(feed, () => undefined);
  for (const event of events) feed.hand(event);
  return live;
}

const shown = (document: StoredDocument | undefined): unknown =>
  document?.['deleted'] === true ? 'deleted' : document && { ...document, position: undefined };

it('cluster templates of the past are shown with what was inside after they, or what was inside, were deleted and have left memory', async () => {
  const ids = await lives(true);
  const live = projectionOf(await logOf(harness));
  forget(live);
  expect([...live.groupTemplates.ids()]).toEqual([]);
  const whole = new TemplateProjection(store);
  const feed = new HistoryFeed();
  whole.follow(feed, () => undefined);
  const states = new Set<string>();
  for (const event of await logOf(harness)) {
    feed.hand(event);
    if (!event.stream.includes('Template-')) continue;
    const { position } = event;
    const within = (mark: { readonly position: number }): boolean => mark.position <= position;
    const context = historyContext(type, store);
    const { parts } = type.history ?? {};
    if (!parts) throw new Error('cluster templates have parts');
    const found = await partsOf(parts, live, ids, store, { position, within, scope: { projectId: PROJECT } });
    await replay(store, context, { ids, within, parts: found });
    for (const id of ids) {
      const now = shown(documentOf(type, whole, id));
      expect([event.type, shown(context.document(id))]).toEqual([event.type, now]);
      states.add(JSON.stringify(now));
    }
  }
  expect(states.size).toBeGreaterThan(12);
});

it('nothing of templates is in memory when all are deleted', async () => {
  await lives(true);
  const live = projectionOf(await logOf(harness));
  forget(live);
  const kept = Object.entries(live).filter(([, value]) => (types.isMap(value) || types.isSet(value)) && value.size > 0);
  expect(kept.map(([name]) => name)).toEqual([]);
  expect(live.clusterTemplates.size + live.groupTemplates.size).toBe(0);
});

it('of a living cluster template stays what it was created with, and nothing else that ended', async () => {
  const [, two = ''] = await lives(false);
  const before = projectionOf(await logOf(harness));
  await ask('node-group-template', 'delete', { id: before.clusterTemplates.get(two)?.created.groups[0]?.id });
  const live = projectionOf(await logOf(harness));
  forget(live);
  expect([...live.clusterTemplates.ids()]).toEqual([two]);
  expect([...live.groupTemplates.all()].map(([, { state }]) => [state?.created.name, state?.deleted])).toEqual([
    ['c', true],
    ['moved', false],
  ]);
});

describe('after a deleted cluster template has left the memory of a replica', () => {
  let directory: string;
  let templates: () => unknown;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-templates-'));
    await replica.stop();
    replica = await observed();
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  /** Starts a replica whose states can be seen. */
  const observed = async (): Promise<Replica> => {
    const log = createLogger('test', 'silent');
    const file = await SnapshotFile.open({ file: join(directory, 's'), eventStore: harness.store, code: 'c', log });
    const take = file.take.bind(file);
    jest.spyOn(file, 'take').mockImplementation((name, service) => {
      templates = () => service.capture()?.fields.get(`${name}/TemplateProjection/clusterTemplates/entries`);
      return take(name, service);
    });
    return harness.replica({ snapshotFile: file });
  };

  const forgotten = (): Promise<unknown> =>
    eventually(() => {
      const entries = templates();
      return types.isMap(entries) && entries.size === 0;
    }, 'the cluster template left memory');
  const namesIn = async (): Promise<readonly string[]> =>
    (await groupTemplatesIn(harness)).map(({ created }) => created.name);

  it('late repeats of its creation, change and deletion are answered as before and change nothing', async () => {
    const body = { name: 'one', nodeGroups: [worker('a')] };
    const repeat = (idempotencyKey: string, verb: Asked['verb'], of: object) =>
      asked(harness, replica, { kind: 'cluster-template', verb, body: of }, { idempotencyKey });
    const made = await repeat('create', 'create', body);
    const change = { id: made.id, patch: { labels: { n: '1' } } };
    const changed = await repeat('change', 'patch', change);
    await repeat('delete', 'delete', { id: made.id });
    await forgotten();
    const { length } = await logOf(harness);
    expect(await repeat('create', 'create', body)).toEqual(made);
    expect(await repeat('change', 'patch', change)).toEqual(changed);
    await repeat('delete', 'delete', { id: made.id });
    expect(await logOf(harness)).toHaveLength(length);
  });

  it('a repeat of its interrupted creation creates nothing inside', async () => {
    const body = { name: 'one', nodeGroups: [worker('a')] };
    const create: Asked = { kind: 'cluster-template', verb: 'create', body };
    const { id } = await asked(harness, replica, create, { idempotencyKey: 'k' });
    const events = await logOf(harness);
    const cut = events.findIndex(({ type: of }) => of === 'ClusterTemplateCreated') + 1;
    const whole = harness;
    harness = await harnessAfter(events.slice(0, cut));
    await whole.close();
    await harness.append(`clusterTemplate-${id}`, { type: 'ClusterTemplateDeleted', data: {} });
    replica = await observed();
    await forgotten();
    await asked(harness, replica, create, { idempotencyKey: 'k' });
    expect(await namesIn()).toEqual([]);
  });

  it('a node group template that is created in it by a request that was under way is deleted', async () => {
    const { id } = await ask('cluster-template', 'create', { name: 'one' });
    await ask('cluster-template', 'delete', { id });
    await forgotten();
    const late = '01a1ff98-1db7-7539-b872-a49b12e7ced4';
    const data = { id: late, name: 'late', projectId: PROJECT, clusterTemplateId: id, attributes: {} };
    const contents = { immutableAttributes: [], locked: {} };
    await harness.append(`nodeGroupTemplate-${late}`, {
      type: 'NodeGroupTemplateCreated',
      data: { ...data, ...contents },
    });
    await eventually(async () => (await namesIn()).length === 0, 'it is deleted');
  });
});
