import { type DocumentStore, EmbeddedEventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Counters } from './projector.fixture.js';
import type { Projector } from './projector.js';

export interface StoreForRebuilds {
  readonly store: DocumentStore;
  readonly end: () => Promise<void>;
}

const WAIT_MS = 20_000;
let runs = 0;

/** Read models are built anew while they serve; the same on every document store. */
export function describeRebuild(name: string, factory: () => Promise<StoreForRebuilds>, size = 5_000): void {
  describe(`rebuild of read models while they serve: ${name}`, () => {
    const ids = Array.from({ length: size }, (_, i) => `i${String(i).padStart(5, '0')}`);
    let under: StoreForRebuilds;
    let events: EmbeddedEventStore;
    let counters: Counters;
    const counted = (graceMs?: number): Counters =>
      (counters = new Counters(events, under.store, graceMs, `sums${process.pid}x${(runs += 1)}`));

    beforeAll(async () => void (under = await factory()), 60_000);
    afterAll(() => under.end());
    beforeEach(async () => {
      await (await under.store.collection('projection')).clear();
      events = await EmbeddedEventStore.open({ memory: true });
      counted();
    });
    afterEach(async () => {
      await counters.close();
      await events.close();
    });

    const shows = async (projector: Projector): Promise<void> => {
      expect(await projector.waitFor(await events.head(), WAIT_MS)).toBe(true);
    };
    const servingOf = async (projector: Projector) => (await projector.statuses())[0]?.serving;
    /** Reads lists all the time until told to end; every one must be whole. Answers how many there were. */
    const hammer = (projector: Projector): (() => Promise<number>) => {
      let going = true;
      const run = async (): Promise<number> => {
        let lists = 0;
        for (; going; lists += 1) {
          const list = await counters.list(projector);
          if (list.length < size) throw new Error(`a list had ${list.length} of ${size}`);
          await new Promise(resolve => setImmediate(resolve));
        }
        return lists;
      };
      const running = run();
      running.catch(() => undefined);
      return () => {
        going = false;
        return running;
      };
    };

    it('by command: every list meanwhile is whole, on each replica, and the documents are the same', async () => {
      const [leader, follower] = [await counters.leader(), await counters.replica()];
      await counters.add(ids, leader);
      await Promise.all([shows(leader), shows(follower)]);
      const [before, served] = [await counters.list(leader), await servingOf(leader)];
      const ends = [hammer(leader), hammer(follower)];
      await follower.rebuild(counters.name);
      expect((await follower.statuses())[0]?.status).toBe('REQUESTED');
      await leader.verify();
      await eventually(async () => (await follower.statuses())[0]?.status === 'READY', 'it was built');
      expect((await servingOf(follower))?.collection).not.toBe(served?.collection);
      const lists = await Promise.all(ends.map(end => end()));
      expect(Math.min(...lists)).toBeGreaterThan(1);
      for (const replica of [leader, follower]) expect(await counters.list(replica)).toEqual(before);
      expect(counters.errors).toEqual([]);
    }, 60_000);

    it('shows what changes while it is built, in what serves and in what comes after it', async () => {
      const leader = await counters.leader();
      await counters.add(ids, leader);
      await shows(leader);
      const [first = ''] = ids;
      const served = await servingOf(leader);
      await leader.rebuild(counters.name);
      for (let n = 2; (await servingOf(leader))?.collection === served?.collection; n += 1) {
        await counters.add([first, `new${n}`], leader);
        await shows(leader);
        expect((await leader.collection(counters.name).get(first))?.['n']).toBe(n);
      }
      const [fresh] = (await counters.list(leader)).filter(({ _id }) => _id === 'new2');
      expect(fresh?.['n']).toBe(1);
      expect(counters.errors).toEqual([]);
    }, 60_000);

    it('by itself when a release makes documents of another version; two releases side by side', async () => {
      const old = await counters.leader(1);
      await counters.add(ids, old);
      await shows(old);
      const end = hammer(old);
      old.follow();
      const next = await counters.leader(2, n => ({ n, twice: 2 * n }));
      await eventually(async () => (await servingOf(next))?.version === 2, 'the new version serves');
      await eventually(async () => (await counters.list(old))[0]?.['twice'] === 2, 'the old release reads it');
      expect(await end()).toBeGreaterThan(0);
      expect(await counters.list(next)).toHaveLength(size);
      expect(counters.errors).toEqual([]);
    }, 60_000);

    it('by itself when documents are others than they were, though nobody raised the version', async () => {
      const old = await counters.leader();
      await counters.add(ids.slice(0, 10), old);
      await shows(old);
      const served = await servingOf(old);
      await old.close();
      const same = await counters.leader();
      await shows(same);
      expect(await servingOf(same)).toEqual(served);
      await same.close();
      const next = await counters.leader(1, n => ({ n, label: `n${n}` }));
      await eventually(async () => (await servingOf(next))?.collection !== served?.collection, 'it was built');
      expect((await counters.list(next)).map(({ label }) => label)).toEqual(Array(10).fill('n1'));
    }, 60_000);

    it('goes on with the next replica when the one that built it is gone; the old one serves meanwhile', async () => {
      const first = await counters.leader();
      const reader = await counters.replica();
      await counters.add(ids, first);
      await Promise.all([shows(first), shows(reader)]);
      const end = hammer(reader);
      const collection = under.store.collection.bind(under.store);
      const hung = jest.spyOn(under.store, 'collection').mockImplementation(async (wanted, indexes) => {
        const real = await collection(wanted, indexes);
        // as after a SIGKILL: nothing more is ever heard of it
        return indexes && wanted.endsWith('@2') ? { ...bound(real), write: () => new Promise(() => undefined) } : real;
      });
      void first.rebuild(counters.name);
      await eventually(
        async () => (await reader.statuses())[0]?.building?.collection.endsWith('@2') === true,
        'it is being built',
      );
      hung.mockRestore();
      counters.lose(first);
      const second = await counters.leader();
      await eventually(async () => (await servingOf(second))?.collection.endsWith('@3') === true, 'it was built');
      expect((await second.statuses())[0]?.status).toBe('READY');
      await counters.add(ids.slice(0, 1), second);
      await Promise.all([shows(second), shows(reader)]);
      expect(await end()).toBeGreaterThan(0);
      expect((await counters.list(reader))[0]?.['n']).toBe(2);
    }, 60_000);

    it('drops what serves no more, after a while', async () => {
      counted(0);
      const leader = await counters.leader();
      await counters.add(ids.slice(0, 10), leader);
      await shows(leader);
      const old = await servingOf(leader);
      await leader.rebuild(counters.name);
      await eventually(async () => (await servingOf(leader))?.collection !== old?.collection, 'it was built');
      await eventually(async () => {
        await leader.verify();
        return (await (await under.store.collection(old?.collection ?? '')).count({})) === 0;
      }, 'the old one is empty');
      expect(await counters.list(leader)).toHaveLength(10);
    }, 60_000);
  });
}

/** The methods of a class, to be copied. */
function bound<T extends object>(of: T): T {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(of)) as (keyof T)[];
  return Object.fromEntries(
    methods.flatMap(name => {
      const method = of[name];
      return typeof method === 'function' ? [[name, method.bind(of)]] : [];
    }),
  ) as T;
}
