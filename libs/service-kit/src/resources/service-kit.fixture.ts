import { accept, type Decision, type DomainEvent } from '@stave/domain';
import { EventStoreUnavailableError, type EventStore } from '@stave/platform';
import { newEvents } from './new-events.js';
import { ResourceModel } from './resource-model.js';

export const context = { correlationId: 'c', actor: 'a' };
export const added = (n: number): Decision<DomainEvent> => accept({ type: 'Added', data: { n } });

/** Streams that are nothing but a sum, 0 from the start. */
export const sum = (store: EventStore): ResourceModel<number, never> =>
  new ResourceModel<number, never>(
    { category: 'sum', initial: 0, evolve: (s, e) => s + ((e.data as { n?: number }).n ?? 0) },
    store,
  );

/** Resources that exist from the event `Added` on. */
export const items = (store: EventStore): ResourceModel<object> =>
  new ResourceModel<object>(
    { category: 'sum', initial: undefined, evolve: (s, e) => (e.type === 'Added' ? {} : s) },
    store,
  );

/** Appends what nobody decided; its position. */
export async function append(
  store: EventStore,
  stream: string,
  type = 'Added',
  data: object = { n: 1 },
): Promise<number> {
  const after = (await store.readStream(stream)).length - 1;
  return (await store.append(stream, newEvents(stream, after, [{ type, data }], context, 't'), 'any')).position;
}

/** The real store; the answers of the next appends are lost after they took effect. */
export function losing(store: EventStore, answers: number): EventStore {
  return new Proxy<EventStore>(store, {
    get: (target, name: keyof EventStore) => {
      if (name !== 'append') return target[name].bind(target);
      return async (...args: Parameters<EventStore['append']>) => {
        const result = await target.append(...args);
        if (answers-- > 0) throw new EventStoreUnavailableError('lost');
        return result;
      };
    },
  });
}
