import type { DomainEvent } from '@stave/domain';
import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { ResourceModel } from './resource-model.js';

interface Tally {
  readonly marks: readonly string[];
}

const context = { correlationId: 'c' };
const initial: Tally = { marks: [] };

function model(store: EventStore, folded: string[]): ResourceModel<Tally> {
  const evolve = (state: Tally, event: DomainEvent): Tally => {
    folded.push(event.type);
    return { marks: [...state.marks, event.type] };
  };
  return new ResourceModel<Tally>({ category: 'tally', initial, evolve }, store);
}

const write = (tally: ResourceModel<Tally>, type: string) =>
  tally.execute('a', () => ({ ok: true, events: [{ type, data: {} }] }), context);

describe('models of one process for the same streams', () => {
  let store: EmbeddedEventStore;
  beforeEach(async () => (store = await EmbeddedEventStore.open({ memory: true })));
  afterEach(() => store.close());

  it('fold an event once and hold one state', async () => {
    const writer = model(store, []);
    for (const type of ['One', 'Two', 'Three']) await write(writer, type);
    const [first, second]: [string[], string[]] = [[], []];
    const [a, b] = [model(store, first), model(store, second)];
    for (const event of await store.readAll({ limit: 10 })) {
      expect(a.apply(event)).toBe(true);
      expect(b.apply(event)).toBe(true);
    }
    expect(first).toEqual(['One', 'Two', 'Three']);
    expect(second).toEqual([]);
    expect(b.entry('a')).toBe(a.entry('a'));
    expect(b.entry('a')).toEqual(writer.entry('a'));
  });

  it('fold an event separately after different states', async () => {
    const folded: string[] = [];
    const [behind, ahead] = [model(store, folded), model(store, [])];
    await write(ahead, 'One');
    await write(ahead, 'Two');
    const events = await store.readAll({ limit: 10 });
    for (const event of events) ahead.apply(event);
    const [, last] = events;
    if (!last) throw new Error('two events were written');
    behind.apply(last);
    expect(folded).toEqual(['Two']);
    expect(behind.get('a')).toEqual({ marks: ['Two'] });
    expect(ahead.get('a')).toEqual({ marks: ['One', 'Two'] });
  });

  it('share nothing between stores', async () => {
    const other = await EmbeddedEventStore.open({ memory: true });
    const [here, there] = [model(store, []), model(other, [])];
    await write(here, 'Here');
    await write(there, 'There');
    const folded: string[] = [];
    const reader = model(other, folded);
    for (const event of await store.readAll({ limit: 1 })) model(store, []).apply(event);
    for (const event of await other.readAll({ limit: 1 })) reader.apply(event);
    expect(reader.get('a')).toEqual({ marks: ['There'] });
    expect(folded).toEqual(['There']);
    await other.close();
  });
});
