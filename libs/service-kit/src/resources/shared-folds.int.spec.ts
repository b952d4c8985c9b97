import type { DomainEvent } from '@stave/domain';
import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { ResourceModel } from './resource-model.js';

interface Tally {
  readonly marks: readonly string[];
}

const context = { correlationId: 'c', actor: 'a' };
const initial: Tally = { marks: [] };
const folded: string[] = [];
const evolve = (state: Tally, event: DomainEvent): Tally => {
  folded.push(event.type);
  return { marks: [...state.marks, event.type] };
};
const definition = { category: 'tally', initial, evolve };
const model = (store: EventStore) => new ResourceModel<Tally, never>(definition, store);

const write = (tally: ResourceModel<Tally, never>, type: string) =>
  tally.execute('a', () => ({ ok: true, events: [{ type, data: {} }] }), context);

describe('models of one process for the same streams', () => {
  let store: EmbeddedEventStore;
  beforeEach(async () => (store = await EmbeddedEventStore.open({ memory: true })));
  afterEach(() => store.close());

  it('models of one process fold an event once and share one state', async () => {
    const writer = model(store);
    for (const type of ['One', 'Two', 'Three']) await write(writer, type);
    folded.length = 0;
    const [a, b] = [model(store), model(store)];
    for (const event of await store.readAll({ limit: 10 })) {
      expect(a.apply(event)).toBe(true);
      expect(b.apply(event)).toBe(true);
    }
    expect(folded).toEqual(['One', 'Two', 'Three']);
    expect(b.entry('a')).toBe(a.entry('a'));
    expect(b.entry('a')).toEqual(writer.entry('a'));
  });

  it.each(['before', 'after'])('who appended events takes the state of a model that folds them %s it', async order => {
    const [writer, reader] = [model(store), model(store)];
    for (const type of ['One', 'Two']) await write(writer, type);
    const own = writer.entry('a');
    for (const event of await store.readAll({ limit: 10 }))
      for (const each of order === 'before' ? [reader, writer] : [writer, reader]) each.apply(event);
    expect(writer.entry('a')).toBe(reader.entry('a'));
    expect(writer.entry('a')).toEqual(own);
    await write(writer, 'Three');
    expect(writer.get('a')).toEqual({ marks: ['One', 'Two', 'Three'] });
  });

  it('who appended more events meanwhile keeps its own state', async () => {
    const [writer, reader] = [model(store), model(store)];
    await write(writer, 'One');
    const [first] = await store.readAll({ limit: 10 });
    if (!first) throw new Error('an event was written');
    writer.apply(first);
    await write(writer, 'Two');
    const own = writer.entry('a');
    reader.apply(first);
    expect(writer.entry('a')).toBe(own);
    expect(reader.get('a')).toEqual({ marks: ['One'] });
  });

  it('who appended events does not take a state that was folded from others', async () => {
    const [writer, reader] = [model(store), model(store)];
    for (const type of ['One', 'Two']) await write(writer, type);
    const [, last] = await store.readAll({ limit: 10 });
    if (!last) throw new Error('two events were written');
    reader.beginAt('a', () => true, { state: { marks: [] }, streamRevision: 0, position: 0 });
    writer.apply(last);
    reader.apply(last);
    expect(reader.get('a')).toEqual({ marks: ['Two'] });
    expect(writer.get('a')).toEqual({ marks: ['One', 'Two'] });
  });

  it('models of one process fold an event separately after different states', async () => {
    const [behind, ahead] = [model(store), model(store)];
    await write(ahead, 'One');
    await write(ahead, 'Two');
    const events = await store.readAll({ limit: 10 });
    for (const event of events) ahead.apply(event);
    const [, last] = events;
    if (!last) throw new Error('two events were written');
    behind.beginAt('a', () => true, { state: { marks: [] }, streamRevision: 0, position: 0 });
    folded.length = 0;
    behind.apply(last);
    expect(folded).toEqual(['Two']);
    expect(behind.get('a')).toEqual({ marks: ['Two'] });
    expect(ahead.get('a')).toEqual({ marks: ['One', 'Two'] });
  });

  it('models on different stores share nothing', async () => {
    const other = await EmbeddedEventStore.open({ memory: true });
    const [here, there] = [model(store), model(other)];
    await write(here, 'Here');
    await write(there, 'There');
    const reader = model(other);
    for (const event of await store.readAll({ limit: 1 })) model(store).apply(event);
    folded.length = 0;
    for (const event of await other.readAll({ limit: 1 })) reader.apply(event);
    expect(reader.get('a')).toEqual({ marks: ['There'] });
    expect(folded).toEqual(['There']);
    await other.close();
  });
});
