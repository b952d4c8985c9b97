import { EmbeddedEventStore, type DocumentCollection, type DocumentStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Counters } from './projector.fixture.js';
import type { Projector } from './projector.js';

export interface StoreForRebuilds {
  readonly store: DocumentStore;
  readonly end: () => Promise<void>;
}

export interface RebuildScope {
  /** Documents of the read model; default 5,000. */
  readonly size?: number;
  /** Documents of a build that are written between two flushes; default 1,000. */
  readonly buildStep?: number;
}

/** Milliseconds, generous because servers under test share a busy machine with other suites. */
const WAIT_MS = 120_000;
let runs = 0;

/** Describes how read models are rebuilt while they serve. Every document store runs it. */
export function describeRebuild(
  name: string,
  factory: () => Promise<StoreForRebuilds>,
  scope: RebuildScope = {},
): void {
  describe(`rebuild of read models while they serve: ${name}`, () => {
    let under: StoreForRebuilds;
    let harness: RebuildHarness;
    beforeAll(async () => void (under = await factory()));
    afterAll(() => under.end());
    beforeEach(async () => void (harness = await RebuildHarness.open(under.store, scope)));
    afterEach(() => harness.close());

    describeRequestedRebuild(() => harness);
    describeAutomaticRebuild(() => harness);
    describeTakeover(() => harness);
  });
}

/** One read model on the store under test, with replicas that write it and readers that check every list. */
class RebuildHarness {
  readonly ids: readonly string[];
  counters: Counters;
  private readonly readers: (() => Promise<number>)[] = [];

  private constructor(
    readonly store: DocumentStore,
    private readonly events: EmbeddedEventStore,
    private readonly scope: RebuildScope,
  ) {
    this.ids = Array.from({ length: scope.size ?? 5_000 }, (_, i) => `i${String(i).padStart(5, '0')}`);
    this.counters = this.withGrace();
  }

  static async open(store: DocumentStore, scope: RebuildScope): Promise<RebuildHarness> {
    await (await store.collection('projection')).clear();
    return new RebuildHarness(store, await EmbeddedEventStore.open({ memory: true }), scope);
  }

  /** Begins with another read model whose retired collections are kept for `graceMs`. */
  withGrace(graceMs = 60_000): Counters {
    const { buildStep = 1_000 } = this.scope;
    this.counters = new Counters(this.events, this.store, `sums${process.pid}x${(runs += 1)}`, { graceMs, buildStep });
    return this.counters;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.readers.map(stop => stop()));
    await this.counters.close();
    await this.events.close();
  }

  /** Waits until the projector shows everything that was appended. */
  async isCurrent(projector: Projector): Promise<void> {
    expect(await projector.waitFor(await this.events.head(), WAIT_MS)).toBe(true);
  }

  async serving(projector: Projector) {
    return (await projector.statuses())[0]?.serving;
  }

  becomes(what: string, check: () => Promise<boolean>): Promise<true> {
    return eventually(check, { what, timeoutMs: WAIT_MS });
  }

  /** Reads complete lists until the returned function is called, which returns their number. Throws when one was incomplete. */
  readLists(projector: Projector): () => Promise<number> {
    let active = true;
    const { length } = this.ids;
    const run = async (): Promise<number> => {
      let lists = 0;
      for (; active; lists += 1) {
        const list = await this.counters.list(projector);
        if (list.length < length) throw new Error(`a list had ${list.length} of ${length} documents`);
        await new Promise(resolve => setImmediate(resolve));
      }
      return lists;
    };
    const running = run();
    running.catch(() => undefined);
    const stop = (): Promise<number> => {
      active = false;
      return running;
    };
    this.readers.push(stop);
    return stop;
  }
}

function describeRequestedRebuild(harness: () => RebuildHarness): void {
  it('keeps every list complete on each replica during a requested rebuild, which produces the same documents', async () => {
    const { counters, ids } = harness();
    const [leader, follower] = [await counters.leader(), await counters.replica()];
    await counters.add(ids, leader);
    await Promise.all([harness().isCurrent(leader), harness().isCurrent(follower)]);
    const [before, served] = [await counters.list(leader), await harness().serving(leader)];
    const readers = [harness().readLists(leader), harness().readLists(follower)];
    await follower.rebuild(counters.name);
    expect((await follower.statuses())[0]?.status).toBe('REQUESTED');
    await leader.verify();
    await harness().becomes('rebuilt', async () => (await follower.statuses())[0]?.status === 'READY');
    expect((await harness().serving(follower))?.collection).not.toBe(served?.collection);
    const lists = await Promise.all(readers.map(stop => stop()));
    expect(Math.min(...lists)).toBeGreaterThan(1);
    for (const replica of [leader, follower]) expect(await counters.list(replica)).toEqual(before);
    expect(counters.errors).toEqual([]);
  });

  it('shows changes made during a rebuild in the serving collection and in the one that replaces it', async () => {
    const { counters, ids } = harness();
    const leader = await counters.leader();
    await counters.add(ids, leader);
    await harness().isCurrent(leader);
    const [first = ''] = ids;
    const served = await harness().serving(leader);
    await leader.rebuild(counters.name);
    for (let n = 2; (await harness().serving(leader))?.collection === served?.collection; n += 1) {
      await counters.add([first, `new${n}`], leader);
      await harness().isCurrent(leader);
      expect((await leader.collection(counters.name).get(first))?.['n']).toBe(n);
    }
    const [fresh] = (await counters.list(leader)).filter(({ _id }) => _id === 'new2');
    expect(fresh?.['n']).toBe(1);
    expect(counters.errors).toEqual([]);
  });

  it('drops a retired collection after its grace period', async () => {
    const counters = harness().withGrace(0);
    const leader = await counters.leader();
    await counters.add(harness().ids.slice(0, 10), leader);
    await harness().isCurrent(leader);
    const old = await harness().serving(leader);
    await leader.rebuild(counters.name);
    const serving = async (): Promise<string | undefined> => (await harness().serving(leader))?.collection;
    await harness().becomes('rebuilt', async () => (await serving()) !== old?.collection);
    await harness().becomes('the retired collection is empty', async () => {
      await leader.verify();
      return (await (await harness().store.collection(old?.collection ?? '')).count({})) === 0;
    });
    expect(await counters.list(leader)).toHaveLength(10);
  });
}

function describeAutomaticRebuild(harness: () => RebuildHarness): void {
  it('rebuilds when a release raises the version, while the previous release continues to read', async () => {
    const { counters, ids } = harness();
    const old = await counters.leader(1);
    await counters.add(ids, old);
    await harness().isCurrent(old);
    const stop = harness().readLists(old);
    old.follow();
    const next = await counters.leader(2, n => ({ n, twice: 2 * n }));
    const { becomes, serving } = bound(harness());
    await becomes('the new version serves', async () => (await serving(next))?.version === 2);
    await becomes('the old release reads it', async () => (await counters.list(old))[0]?.['twice'] === 2);
    expect(await stop()).toBeGreaterThan(0);
    expect(await counters.list(next)).toHaveLength(ids.length);
    expect(counters.errors).toEqual([]);
  });

  it('rebuilds when documents differ from the stored ones although the version was not raised', async () => {
    const { counters, ids } = harness();
    const { becomes, isCurrent, serving } = bound(harness());
    const old = await counters.leader();
    await counters.add(ids.slice(0, 10), old);
    await isCurrent(old);
    const served = await serving(old);
    await old.close();
    const same = await counters.leader();
    await isCurrent(same);
    expect(await serving(same)).toEqual(served);
    await same.close();
    const next = await counters.leader(1, n => ({ n, label: `n${n}` }));
    await becomes('the new documents are read', async () => (await counters.list(next))[0]?.['label'] === 'n1');
    expect((await counters.list(next)).map(({ label }) => label)).toEqual(Array(10).fill('n1'));
  });
}

function describeTakeover(harness: () => RebuildHarness): void {
  it('starts the rebuild again on the next replica when the rebuilding one is lost, while the old collection serves', async () => {
    const { counters, ids } = harness();
    const { becomes, isCurrent, serving } = bound(harness());
    const first = await counters.leader();
    const reader = await counters.replica();
    await counters.add(ids, first);
    await Promise.all([isCurrent(first), isCurrent(reader)]);
    const stop = harness().readLists(reader);
    const old = (await serving(first))?.collection;
    const release = blockWrites(harness().store, name => name !== old);
    void first.rebuild(counters.name);
    const building = async () => (await reader.statuses())[0]?.building?.collection;
    await becomes('the build runs', async () => (await building()) !== undefined);
    const lost = await building();
    release();
    counters.lose(first);
    const second = await counters.leader();
    const served = async () => (await serving(second))?.collection;
    await becomes('rebuilt', async () => ![undefined, old].includes(await served()));
    expect(await served()).not.toBe(lost);
    expect((await second.statuses())[0]?.status).toBe('READY');
    await counters.add(ids.slice(0, 1), second);
    await Promise.all([isCurrent(second), isCurrent(reader)]);
    expect(await stop()).toBeGreaterThan(0);
    expect((await counters.list(reader))[0]?.['n']).toBe(2);
  });
}

/** Lets writes to these collections never return, as after a SIGKILL; the returned function ends that for new ones. */
function blockWrites(store: DocumentStore, isBlocked: (name: string) => boolean): () => void {
  const collection = store.collection.bind(store);
  const blocked = jest.spyOn(store, 'collection').mockImplementation(async (wanted, indexes) => {
    const real = await collection(wanted, indexes);
    const write: DocumentCollection['write'] = () => new Promise(() => undefined);
    return indexes && isBlocked(wanted) ? { ...bound(real), write } : real;
  });
  return () => blocked.mockRestore();
}

/** Returns the methods of an object's class, bound to it. */
function bound<T extends object>(of: T): T {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(of)) as (keyof T)[];
  return Object.fromEntries(
    methods.flatMap(name => {
      const method = of[name];
      return typeof method === 'function' ? [[name, method.bind(of)]] : [];
    }),
  ) as T;
}
