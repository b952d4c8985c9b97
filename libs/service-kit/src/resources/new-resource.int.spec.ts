import type { DomainEvent } from '@stave/domain';
import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { CREATION_ABANDONED, Names } from './names.js';
import { ResourceModel } from './resource-model.js';

interface Thing {
  readonly made: boolean;
}

const context = { correlationId: 'c', actor: 'a' };
const made = { ok: true, events: [{ type: 'ThingMade', data: {} }] } as const;
const evolve = (state: Thing | undefined, event: DomainEvent): Thing | undefined =>
  event.type === 'ThingMade' ? { made: true } : state;

let store: EmbeddedEventStore;
let calls: string[];
let counted: EventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  calls = [];
  counted = new Proxy<EventStore>(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        calls.push(String(name));
        return Reflect.apply(member, target, args);
      };
    },
  });
});
afterEach(() => store.close());

const replica = () => new ResourceModel<Thing>({ category: 'thing', initial: undefined, evolve }, counted);
const create = (model: ResourceModel<Thing>) => model.create('a', () => made, context);

describe('a new resource', () => {
  it('the creation of a resource needs one append and no read', async () => {
    expect(await create(replica())).toMatchObject({ state: { made: true }, position: 0 });
    expect(calls).toEqual(['append']);
  });

  it('a resource is created once, by whichever replica gets the request', async () => {
    await create(replica());
    expect(await create(replica())).toEqual({ state: { made: true }, position: undefined });
    expect(await store.readStream('thing-a')).toHaveLength(1);
  });

  it('a resource is not created when its creation was abandoned', async () => {
    const metadata = { ...context, schemaVersion: 1, time: 't' };
    const id = '00000000-0000-4000-8000-000000000001';
    await store.append('thing-a', [{ id, type: CREATION_ABANDONED, data: {}, metadata }], 'no_stream');
    await expect(create(replica())).rejects.toMatchObject({ error: { code: 'creation-abandoned' } });
    expect(await store.readStream('thing-a')).toHaveLength(1);
  });

  it('a new resource reserves a free name by one append, without a read', async () => {
    const names = new Names(counted);
    const owner = (targetId: string) => ({ targetId, targetStream: `thing-${targetId}` });
    await names.reserve('things', 'One', owner('a'), context);
    expect(calls).toEqual(['append']);
    await create(replica());
    await names.reserve('things', 'one', owner('a'), { correlationId: 'again', actor: 'a' });
    await expect(names.reserve('things', 'ONE', owner('b'), context)).rejects.toMatchObject({
      error: { code: 'name-taken' },
    });
    await names.release('things', 'one', 'a', context);
    await names.reserve('things', 'one', owner('b'), context);
    expect(await names.owner('things', 'one')).toMatchObject({ targetId: 'b' });
  });
});
