import type { RequestMeta } from '@stave/contracts';
import { accept, conflict, mergeLabels, refuse, type Decision, type DomainEvent } from '@stave/domain';
import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { RequestLedger, type RequestIds } from './request-ledger.js';
import type { ChangeRequest } from './change-request.js';
import { ResourceCommands } from './resource-commands.js';
import { ResourceModel } from './resource-model.js';

type Labels = Readonly<Record<string, string>>;
const HOME = { projectId: 'p', clusterId: 'c' };

let store: EmbeddedEventStore;
let commands: ResourceCommands<Labels>;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  commands = replica();
});
afterEach(() => store.close());

function replica(on: EventStore = store): ResourceCommands<Labels> {
  const evolve = (_: Labels, { data }: DomainEvent): Labels => {
    const { operation: _operation, ...labels } = data as Labels & { readonly operation?: object };
    return labels;
  };
  const model = new ResourceModel<Labels, never>({ category: 'thing', initial: {}, evolve }, on);
  const show = (labels: Labels) => ({
    id: 'x',
    name: 'x',
    projectId: 'p',
    createdAt: '',
    updatedAt: '',
    revision: 1,
    labels,
  });
  return new ResourceCommands(new RequestLedger(on), { model, scope: () => HOME, show });
}

const meta = (idempotencyKey?: string): RequestMeta => ({
  correlationId: 'r',
  actor: { keyId: 'k', role: 'member', project: 'p' },
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});

const operationOf = ({ operationId: id }: RequestIds) => ({ operation: { id, kind: 'thing.label', total: 1 } });

const label = (patch: Labels, starts = false): ChangeRequest<Labels, DomainEvent> => ({
  find: () => Promise.resolve({ id: 'x' }),
  body: patch,
  starts,
  decide: (state, ids): Decision<DomainEvent> =>
    'closed' in state
      ? refuse(conflict('closed', 'it is closed'))
      : accept({ type: 'Labelled', data: { ...mergeLabels(state, patch), ...(starts ? operationOf(ids) : {}) } }),
});

describe('ResourceCommands', () => {
  it('applies both of two concurrent changes on two replicas', async () => {
    const [a, b] = [replica(), replica()];
    await Promise.all([a.change(meta(), label({ one: '1' })), b.change(meta(), label({ two: '2' }))]);
    const { data } = await a.change(meta(), label({ three: '3' }));
    expect(data.resource['labels']).toEqual({ one: '1', two: '2', three: '3' });
  });

  it('decides concurrent changes of one resource one after the other, so that the reads of each do not grow with their number', async () => {
    const readsFor = async (changes: number): Promise<number> => {
      let reads = 0;
      const counted = new Proxy(store, {
        get: (target, name: keyof EmbeddedEventStore) => {
          const member: unknown = target[name];
          if (name === 'readStream') reads += 1;
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      });
      const on = replica(counted);
      const labels = Array.from({ length: changes }, (_, i) => `l${changes}-${i}`);
      await Promise.all(labels.map(key => on.change(meta(key), label({ [key]: '1' }))));
      const { data } = await on.change(meta(), label({ last: '1' }));
      expect(Object.keys(data.resource['labels'] ?? {})).toEqual(expect.arrayContaining(labels));
      return reads / changes;
    };
    const few = await readsFor(4);
    expect(await readsFor(64)).toBeLessThanOrEqual(few + 2);
  });

  it('answers a repeat as the first request on any replica, and appends nothing', async () => {
    const first = await commands.change(meta('key'), label({ one: '1' }, true));
    await commands.change(meta(), label({ two: '2' }));
    const again = await replica().change(meta('key'), label({ one: '1' }, true));
    expect(again).toEqual(first);
    expect(again.data.operationId).toMatch(/^c-/);
    expect(await store.readStream('thing-x')).toHaveLength(2);
  });

  it('answers a repeat even if the resource is not found any more or would refuse the change', async () => {
    const request = label({ one: '1' });
    const first = await commands.change(meta('key'), request);
    await commands.change(meta(), label({ closed: 'yes' }));
    const gone = { ...request, find: () => Promise.reject(new Error('it is gone')) };
    expect(await replica().change(meta('key'), gone)).toEqual(first);
    await expect(commands.change(meta('other'), gone)).rejects.toThrow('it is gone');
  });

  it('makes one change for concurrent requests with one key on several replicas, and answers all alike', async () => {
    const replicas = [replica(), replica(), commands];
    const once: ChangeRequest<Labels, DomainEvent> = {
      ...label({ one: '1' }, true),
      decide: (s, ids) =>
        'one' in s
          ? refuse(conflict('being-deleted', 'it goes'))
          : accept({ type: 'Labelled', data: { one: '1', ...operationOf(ids) } }),
    };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => replicas[i % 3]!.change(meta('key'), once)));
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
    expect(await store.readStream('thing-x')).toHaveLength(1);
  });

  it('appends nothing for a second delivery of a request that completes while the second is accepted', async () => {
    const request = label({ one: '1' }, true);
    let first: unknown;
    const find = async (): Promise<{ readonly id: string }> => {
      first = await replica().change(meta('key'), request);
      return { id: 'x' };
    };
    expect(await commands.change(meta('key'), { ...request, find })).toEqual(first);
    expect(await store.readStream('thing-x')).toHaveLength(1);
  });

  it('changes nothing in a later repeat of a request that changed nothing', async () => {
    const request: ChangeRequest<Labels, DomainEvent> = {
      ...label({ one: '1' }),
      decide: s => (s['one'] === '1' ? accept() : accept({ type: 'Labelled', data: { ...s, one: '1' } })),
    };
    await commands.change(meta(), label({ one: '1' }));
    const first = await commands.change(meta('key'), request);
    await commands.change(meta(), label({ one: '2' }));
    expect(await commands.change(meta('key'), request)).toEqual(first);
    expect(first.data.resource['labels']).toEqual({ one: '1' });
    expect(await store.readStream('thing-x')).toHaveLength(2);
  });

  it('completes a remembered request in its repeat, with its checks', async () => {
    const request = label({ one: '1' }, true);
    const crash = (): Promise<void> => Promise.reject(new Error('crash'));
    await expect(commands.change(meta('key'), { ...request, before: crash })).rejects.toThrow('crash');
    const no = (): void => {
      throw new Error('not now');
    };
    await expect(commands.change(meta('key'), { ...request, check: no })).rejects.toThrow('not now');
    expect((await commands.change(meta('key'), request)).data.resource['labels']).toEqual({ one: '1' });
    expect(await store.readStream('thing-x')).toHaveLength(1);
  });

  it('answers without an operation if the change starts none', async () => {
    const nothing = { ...label({}, true), decide: () => accept<DomainEvent>() };
    const atOnce = { ...label({ a: '1' }), starts: true };
    for (const key of ['at-once', 'at-once', undefined])
      expect((await commands.change(meta(key), atOnce)).data).not.toHaveProperty('operationId');
    expect((await commands.change(meta(), nothing)).data).not.toHaveProperty('operationId');
    expect((await commands.change(meta('key'), nothing)).data).not.toHaveProperty('operationId');
  });

  it('does not remember a refused request', async () => {
    await commands.change(meta(), label({ closed: 'yes' }));
    await expect(commands.change(meta('key'), label({ one: '1' }))).rejects.toMatchObject({
      error: { code: 'closed' },
    });
    await expect(commands.change(meta('key'), label({ other: '2' }))).rejects.toMatchObject({
      error: { code: 'closed' },
    });
  });

  it('stores requester, request, project and cluster in the metadata', async () => {
    const { data } = await commands.change(meta('key'), label({ one: '1' }, true));
    const [event] = await store.readStream('thing-x');
    expect(event?.metadata).toMatchObject({
      actor: 'k',
      project: 'p',
      clusterId: 'c',
      operationId: data.operationId,
      idempotencyKey: 'key',
    });
  });
});
