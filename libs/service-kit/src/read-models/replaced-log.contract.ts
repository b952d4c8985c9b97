import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Counters } from './projector.fixture.js';
import type { StoreForRebuilds } from './rebuild.contract.js';

const WAIT_MS = 120_000;
let runs = 0;

/** Describes that documents of another log, or of lost events, are never served. Every document store runs it. */
export function describeReplacedLog(name: string, factory: () => Promise<StoreForRebuilds>): void {
  describe(`read models beside a log that was replaced: ${name}`, () => {
    let under: StoreForRebuilds;
    let readModel: string;
    const opened: { close(): Promise<void> }[] = [];
    beforeAll(async () => void (under = await factory()));
    afterAll(() => under.end());
    beforeEach(async () => {
      readModel = `ghosts${process.pid}x${(runs += 1)}`;
      await (await under.store.collection('projection')).clear();
    });
    afterEach(async () => {
      for (const one of opened.splice(0).reverse()) await one.close();
    });

    async function aLog(): Promise<EmbeddedEventStore> {
      const log = await EmbeddedEventStore.open({ memory: true });
      opened.push(log);
      return log;
    }
    function countersOn(log: EventStore, installation: string): Counters {
      const counters = new Counters(log, under.store, readModel, { graceMs: 0 }, installation);
      opened.push(counters);
      return counters;
    }
    const isCurrent = async (counters: Counters, log: EventStore): Promise<void> => {
      for (const projector of counters.projectors)
        expect(await projector.waitFor(await log.head(), WAIT_MS)).toBe(true);
    };
    const numbers = async (counters: Counters): Promise<readonly unknown[]> =>
      Promise.all(
        counters.projectors.map(async projector =>
          (await counters.list(projector)).map(({ _id, n }) => `${_id}${String(n)}`).join(' '),
        ),
      );
    const collections = async (): Promise<readonly string[]> =>
      (await under.store.names()).filter(each => each.startsWith(`${readModel}@`)).sort();

    /** Writes documents of `ids`, one event for each, and returns their collections. */
    async function written(log: EventStore, installation: string, ids: readonly string[]): Promise<readonly string[]> {
      const counters = countersOn(log, installation);
      await counters.leader();
      await counters.add(ids, ...counters.projectors);
      await isCurrent(counters, log);
      await counters.close();
      return collections();
    }

    /** A follower, which must serve nothing, then a leader as well: both serve this and nothing else. */
    async function expectOnly(counters: Counters, log: EventStore, old: readonly string[], expected: string) {
      const follower = await counters.replica();
      expect(await follower.waitFor(-1, 500)).toBe(false);
      const leader = await counters.leader();
      await isCurrent(counters, log);
      expect(await numbers(counters)).toEqual([expected, expected]);
      expect(counters.foreign).toBe(1);
      await eventually(
        async () => {
          await leader.verify();
          const left = await collections();
          return old.every(each => !left.includes(each));
        },
        { what: 'the old collections are dropped', timeoutMs: WAIT_MS },
      );
      await counters.add(['with-later'], ...counters.projectors);
      await isCurrent(counters, log);
      expect(await numbers(counters)).toEqual([`${expected} with-later1`, `${expected} with-later1`]);
    }

    it('serves nothing of another log, builds everything again, and drops the old collections', async () => {
      const old = await written(await aLog(), 'installation-1', ['ghost', 'kept', 'other']);
      expect(old).toHaveLength(1);
      const log = await aLog();
      const counters = countersOn(log, 'installation-2');
      await counters.add(['kept', 'kept']);
      await expectOnly(counters, log, old, 'kept2');
    });

    it('serves nothing that was made from events which a restored log does not have, although it has grown since', async () => {
      const log = await aLog();
      const backup = await aLog();
      await written(log, 'installation-1', ['kept']);
      await copyLog(log, backup);
      const old = await written(log, 'installation-1', ['ghost', 'kept', 'ghost']);
      const counters = countersOn(backup, 'installation-1');
      await counters.load('kept');
      await counters.add(['new', 'new', 'new', 'new']);
      expect(await backup.head()).toBeGreaterThanOrEqual(await log.head());
      await expectOnly(counters, backup, old, 'kept1 new4');
    });

    it('serves nothing that was written after the last checkpoint from events which a restored log does not have', async () => {
      const log = await aLog();
      const backup = await aLog();
      const before = await written(log, 'installation-1', ['kept']);
      await copyLog(log, backup);
      const collection = await under.store.collection(before[0] ?? '');
      const position = (await log.head()) + 5;
      await collection.write([
        { replace: { _id: 'kept', n: 7, position } },
        { replace: { _id: 'ghost', n: 1, position } },
      ]);
      const counters = countersOn(backup, 'installation-1');
      await counters.load('kept');
      await counters.leader();
      await isCurrent(counters, backup);
      await eventually(async () => (await numbers(counters))[0] === 'kept1', { timeoutMs: WAIT_MS });
      expect(counters.foreign).toBe(1);
    });

    it('is continued where the log is the same, also by a replica that has handled no event', async () => {
      const log = await aLog();
      const old = await written(log, 'installation-1', ['a', 'b']);
      const counters = countersOn(log, 'installation-1');
      await counters.load('a');
      await counters.load('b');
      await counters.leader();
      await counters.replica();
      await isCurrent(counters, log);
      expect(await collections()).toEqual(old);
      expect(await numbers(counters)).toEqual(['a1 b1', 'a1 b1']);
      expect(counters.foreign).toBe(0);
    });
  });
}

async function copyLog(from: EventStore, to: EventStore): Promise<void> {
  for (const { id, type, data, metadata, stream, revision } of await from.readAll({ limit: 1_000 }))
    await to.append(
      stream,
      [{ id, type, data: data as object, metadata }],
      revision === 0 ? 'no_stream' : revision - 1,
    );
}
