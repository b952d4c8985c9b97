import { accept, type DomainEvent } from '@stave/domain';
import { EmbeddedEventStore, EventStoreUnavailableError, oneAfterOther, type Append } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import type { RequestMeta, ResourceDocument } from '@stave/contracts';
import { Names } from './names.js';
import { RequestLedger } from './request-ledger.js';
import { ResourceCommands, type CommandReply } from './resource-commands.js';
import { ResourceModel } from './resource-model.js';

interface Thing {
  readonly id: string;
}

const evolve = (state: Thing | undefined, { type, data }: DomainEvent): Thing | undefined =>
  type === 'ThingMade' ? (data as Thing) : state;
const meta = (idempotencyKey?: string): RequestMeta => ({
  correlationId: 'c',
  actor: { keyId: 'k', role: 'admin', project: null },
  ...(idempotencyKey !== undefined && { idempotencyKey }),
});

const shown = ({ id }: Thing): ResourceDocument => ({
  ...{ id, name: id, projectId: 'p', revision: 0, createdAt: '', updatedAt: '' },
});

describe('a creation with its name', () => {
  let store: EmbeddedEventStore;
  let names: Names;
  let model: ResourceModel<Thing>;
  let commands: ResourceCommands<Thing>;
  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    names = new Names(store, async ({ targetId }) => (await store.readStream(`thing-${targetId}`)).length > 0);
    model = new ResourceModel<Thing>({ category: 'thing', initial: undefined, evolve }, store);
    const resource = { model, scope: () => ({ projectId: 'p' }), show: shown };
    commands = new ResourceCommands(new RequestLedger(store), resource);
  });
  afterEach(() => store.close());

  const create = (name: string, key?: string): Promise<CommandReply> =>
    commands.create(meta(key), {
      body: name,
      resolve: () => ({ name }),
      scope: () => ({ projectId: 'p' }),
      before: (_resolved, context, { resourceId: id }) =>
        names.reserveAhead('things', name, { targetId: id, targetStream: `thing-${id}` }, context),
      decide: (_resolved, { resourceId: id }) => accept<DomainEvent>({ type: 'ThingMade', data: { id } }),
    });
  const createIf = (check: () => Promise<unknown>): Promise<CommandReply> =>
    commands.create(meta(), {
      body: 'one',
      resolve: () => ({}),
      scope: () => ({ projectId: 'p' }),
      before: async (_resolved, context, { resourceId: id }) => {
        context.ahead?.require(check);
        await names.reserveAhead('things', 'one', { targetId: id, targetStream: `thing-${id}` }, context);
      },
      decide: (_resolved, { resourceId: id }) => accept<DomainEvent>({ type: 'ThingMade', data: { id } }),
    });
  const types = async (): Promise<readonly string[]> => (await store.readAll({ limit: 100 })).map(({ type }) => type);

  it('takes the name and creates the resource by one durable append, the name first', async () => {
    const together = jest.spyOn(store, 'appendInOrder');
    const { data, position } = await create('one');
    expect(together).toHaveBeenCalledTimes(1);
    expect([await types(), position]).toEqual([['NameReserved', 'ThingMade'], 1]);
    expect(await names.owner('things', 'ONE')).toMatchObject({ targetId: data.resource['id'] });
  });

  it('a taken name refuses everything: nothing is written', async () => {
    await create('one');
    await expect(create('One')).rejects.toMatchObject({ error: { code: 'name-taken' } });
    expect(await types()).toEqual(['NameReserved', 'ThingMade']);
  });

  it('of two creations with one name at once, one gets it', async () => {
    const outcomes = await Promise.allSettled([create('one'), create('one'), create('two')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await types()).filter(type => type === 'ThingMade')).toHaveLength(2);
  });

  it('a name that was released is taken', async () => {
    const { data } = await create('one');
    await names.release('things', 'one', String(data.resource['id']), { correlationId: 'r', actor: 'a' });
    await create('one');
    expect(await types()).toEqual(['NameReserved', 'ThingMade', 'NameReleased', 'NameReserved', 'ThingMade']);
  });

  it('one that depends on a check is written when it holds; one of which it does not hold leaves its name to others', async () => {
    jest.spyOn(store, 'appendInOrder').mockImplementation(appends => oneAfterOther(store, appends));
    let refuse: (error: Error) => void = () => undefined;
    const room = new Promise((_, reject) => (refuse = reject));
    const refused = createIf(() => room);
    await eventually(async () => (await types()).includes('NameReserved'));
    refuse(new Error('there is no room'));
    await expect(refused).rejects.toThrow('there is no room');
    expect(await types()).toEqual(['NameReserved']);
    await createIf(() => Promise.resolve());
    expect(await types()).toEqual(['NameReserved', 'CreationAbandoned', 'NameReserved', 'ThingMade']);
  });

  it('an answer that was lost is asked for again with the same events', async () => {
    const appendInOrder = store.appendInOrder.bind(store);
    jest.spyOn(store, 'appendInOrder').mockImplementationOnce(async (appends: readonly Append[]) => {
      await appendInOrder(appends);
      throw new EventStoreUnavailableError('the answer was lost');
    });
    await create('one', 'key');
    expect(await types()).toEqual(['RequestAccepted', 'NameReserved', 'ThingMade']);
    await create('one', 'key');
    expect(await types()).toEqual(['RequestAccepted', 'NameReserved', 'ThingMade']);
  });
});
