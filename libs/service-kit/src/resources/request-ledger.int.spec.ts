import { RefusedError } from '@stave/contracts';
import { EmbeddedEventStore } from '@stave/platform';
import { RequestLedger, type RequestIds } from './request-ledger.js';

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
  const ok = (): Promise<void> => Promise.resolve();
  const perform = (i: RequestIds, repeat: boolean): Promise<unknown> => Promise.resolve([i.resourceId, repeat]);

  it('treats the same key and body as the same request, and refuses another body', async () => {
    const ledger = new RequestLedger(store);
    expect(await ledger.run(meta, { a: 1 }, ids(1), ok, perform)).toEqual(['r1', false]);
    expect(await ledger.run(meta, { a: 1 }, ids(2), ok, perform)).toEqual(['r1', true]);
    await expect(ledger.run(meta, { a: 2 }, ids(3), ok, perform)).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('completes a remembered request in its repeat after a crash, and does not remember a refusal', async () => {
    const ledger = new RequestLedger(store);
    const no = (): Promise<void> => Promise.reject(new Error('refused'));
    await expect(ledger.run(meta, {}, ids(1), no, perform)).rejects.toThrow('refused');
    const crash = (): Promise<unknown> => Promise.reject(new Error('crash'));
    await expect(ledger.run(meta, {}, ids(2), ok, crash)).rejects.toThrow('crash');
    expect(await ledger.run(meta, {}, ids(3), no, perform)).toEqual(['r2', true]);
  });

  it('uses one set of ids for concurrent requests with the same key', async () => {
    const runs = Array.from({ length: 5 }, (_, i) =>
      new RequestLedger(store).run(meta, {}, ids(i), ok, i2 => Promise.resolve(i2.resourceId)),
    );
    expect(new Set(await Promise.all(runs)).size).toBe(1);
  });

  it('does not refuse a request because of its own concurrent delivery, and remembers the plan of the first', async () => {
    const ledger = new RequestLedger(store);
    const first = (): Promise<unknown> =>
      ledger.first(
        meta,
        {},
        i => Promise.resolve(i),
        () => Promise.resolve({ ...ids(1), plan: { name: 'web' } }),
      );
    const taken = async (): Promise<never> => {
      await first();
      throw new RefusedError({ code: 'name-taken', kind: 'conflict', detail: 'the name is taken' });
    };
    const answer = await ledger.first(meta, {}, (i, repeat) => Promise.resolve([i, repeat]), taken);
    expect(answer).toEqual([{ ...ids(1), plan: { name: 'web' } }, true]);
    const other = { ...meta, idempotencyKey: 'other' };
    const refused = ledger.first(other, {}, perform, () =>
      Promise.reject(new RefusedError({ code: 'no', kind: 'rule', detail: '' })),
    );
    await expect(refused).rejects.toMatchObject({ error: { code: 'no' } });
  });
});
