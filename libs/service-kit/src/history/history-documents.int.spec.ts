import { EmbeddedEventStore } from '@stave/platform';
import { HistoryDocuments } from './history-documents.js';
import { HistoryTimes } from './history-times.js';
import { HistoryFeed } from './history-context.js';
import { append, sumOf, thingDocument, thingFold, things, timeOf, untilTime } from './history.fixture.js';

const EVENTS = 3_000;
const THINGS = 60;

/** A quarter is quiet after its first events; some are deleted. */
const idOf = (i: number): string => `t${i < 400 ? i % THINGS : i % (THINGS - 15)}`;

describe('the documents at an instant', () => {
  it('the documents at an instant are those of the resources that existed then, whether or not they changed since', async () => {
    const store = await EmbeddedEventStore.open({ memory: true });
    const gone = new Set<string>();
    for (let i = 0; i < EVENTS; i++) {
      const id = idOf(i);
      if (gone.has(id)) continue;
      const deletes = i > 500 && i % 211 === 0;
      if (deletes) gone.add(id);
      await append(store, id, i * 10 - (i % 5) * 15, deletes ? undefined : i);
    }
    const fold = thingFold();
    const live = things(store, fold);
    const times = new HistoryTimes();
    for (const event of await store.readAll({ limit: 10_000 })) {
      live.apply(event);
      times.note(event);
    }
    const document = (id: string) => thingDocument(id, live.entry(id));
    const all = () => [...live.all()].map(([id, { position }]) => [id, position] as const);
    const streams = new Map<string, Awaited<ReturnType<typeof store.readStream>>>();
    for (const id of live.ids()) streams.set(id, await store.readStream(`thing-${id}`));
    const forgotten = new Set([...live.ended].filter((_, i) => i % 2 === 0));
    for (const id of forgotten) live.forget(id);
    let folded = 0;
    const documents = new HistoryDocuments({
      feed: { store, caughtUp: () => Promise.resolve() },
      times,
      readModel: { name: 'things', indexes: [], document, all },
      category: 'thing',
      context: () => {
        const own = things(
          store,
          thingFold(() => void folded++),
        );
        const feed = new HistoryFeed();
        feed.on(own.category, event => own.apply(event));
        return { feed, own, snapshots: [own], document: id => thingDocument(id, own.entry(id)), related: () => [] };
      },
      parts: () => Promise.resolve([]),
      scope: id => ({ projectId: `p${id.length}` }),
    });
    for (let i = -3; i < EVENTS; i += 149) {
      const time = timeOf(i * 10);
      const expected = [...streams].flatMap(([id, events]) => {
        const then = untilTime(events, time);
        return then.length === 0 || then.some(({ type }) => type === 'Deleted') ? [] : [[id, sumOf(then)]];
      });
      const found = (await (await documents.at(time)).find({})).map(({ _id, sum }) => [_id, sum]);
      expect([time, found.sort()]).toEqual([time, expected.sort()]);
    }
    expect(forgotten.size).toBeGreaterThan(0);
    const some = await (await documents.at(timeOf(EVENTS * 5), { projectId: 'p2' })).find({});
    const both = await (await documents.at(timeOf(EVENTS * 5))).find({});
    expect(some).toEqual(both.filter(({ _id }) => _id.length === 2));
    expect(some.length).toBeGreaterThan(0);
    folded = 0;
    expect(await (await documents.at(timeOf(EVENTS * 20))).count({})).toBe(THINGS - gone.size);
    expect(folded).toBeLessThan(EVENTS / 3); // what is quiet is not folded again
    await store.close();
  });
});
