import { RefusedError } from '@stave/contracts';
import { EmbeddedEventStore } from '@stave/platform';
import { appendAccepted, idempotencyStream, RequestLedger, sha256, type RequestIds } from './request-ledger.js';

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

describe('RequestLedger', () => {
  const ids = (n: number): RequestIds => ({ resourceId: `r${n}`, operationId: `o${n}`, requestId: `q${n}` });
  const meta = {
    correlationId: 'c',
    actor: { keyId: 'k', role: 'member' as const, project: 'p' },
    idempotencyKey: 'key',
  };
  const accept = (n: number) => () => Promise.resolve(ids(n));
  const perform = (i: RequestIds, repeat: boolean): Promise<unknown> => Promise.resolve([i.resourceId, repeat]);

  it('treats the same key and body as the same request, and refuses another body', async () => {
    const ledger = new RequestLedger(store);
    expect(await ledger.run(meta, { a: 1 }, perform, accept(1))).toEqual(['r1', false]);
    expect(await ledger.run(meta, { a: 1 }, perform, accept(2))).toEqual(['r1', true]);
    await expect(ledger.run(meta, { a: 2 }, perform, accept(3))).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('treats a body with members in another order as the same request, at any depth, and lists in another order as another one', async () => {
    const ledger = new RequestLedger(store);
    const body = { a: 1, b: [{ c: 1, d: 2 }, 3] };
    expect(await ledger.run(meta, body, perform, accept(1))).toEqual(['r1', false]);
    expect(await ledger.run(meta, { b: [{ d: 2, c: 1 }, 3], a: 1 }, perform, accept(2))).toEqual(['r1', true]);
    await expect(ledger.run(meta, { a: 1, b: [3, { c: 1, d: 2 }] }, perform, accept(3))).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('recognizes a repeat of a request that was remembered with its members in their given order', async () => {
    const hash = sha256(JSON.stringify(['', { b: 1, a: 2 }]));
    await appendAccepted(store, idempotencyStream('1:pkey'), { hash, ...ids(1) }, meta);
    expect(await new RequestLedger(store).run(meta, { b: 1, a: 2 }, perform, accept(2))).toEqual(['r1', true]);
  });

  it('completes a remembered request in its repeat after a crash, and does not remember a refusal', async () => {
    const ledger = new RequestLedger(store);
    const refuse = (): Promise<never> => Promise.reject(new Error('refused'));
    await expect(ledger.run(meta, {}, perform, refuse)).rejects.toThrow('refused');
    const crash = (): Promise<unknown> => Promise.reject(new Error('crash'));
    await expect(ledger.run(meta, {}, crash, accept(2))).rejects.toThrow('crash');
    expect(await ledger.run(meta, {}, perform, refuse)).toEqual(['r2', true]);
  });

  it('uses one set of ids for concurrent requests with the same key', async () => {
    const runs = Array.from({ length: 5 }, (_, i) =>
      new RequestLedger(store).run(meta, {}, i2 => Promise.resolve(i2.resourceId), accept(i)),
    );
    expect(new Set(await Promise.all(runs)).size).toBe(1);
  });

  it('does not refuse a request because of its own concurrent delivery, and remembers what the first one resolved to', async () => {
    const ledger = new RequestLedger(store);
    const first = (): Promise<unknown> =>
      ledger.run(
        meta,
        {},
        i => Promise.resolve(i),
        () => Promise.resolve({ ...ids(1), resolved: { name: 'web' } }),
      );
    const taken = async (): Promise<never> => {
      await first();
      throw new RefusedError({ code: 'name-taken', kind: 'conflict', detail: 'the name is taken' });
    };
    const answer = await ledger.run(meta, {}, (i, repeat) => Promise.resolve([i, repeat]), taken);
    expect(answer).toEqual([{ ...ids(1), resolved: { name: 'web' } }, true]);
    const other = { ...meta, idempotencyKey: 'other' };
    const refused = ledger.run(other, {}, perform, () =>
      Promise.reject(new RefusedError({ code: 'no', kind: 'rule', detail: '' })),
    );
    await expect(refused).rejects.toMatchObject({ error: { code: 'no' } });
  });
});
