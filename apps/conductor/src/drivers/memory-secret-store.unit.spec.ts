import { MemorySecretStore, SECRETS_KEPT } from './memory-secret-store.js';

describe('the secrets of a driver', () => {
  it('are kept until they are replaced or deleted', async () => {
    const store = new MemorySecretStore();
    await store.put('token', 'first');
    await store.put('token', 'second');
    expect(await store.get('token')).toBe('second');
    await store.delete('token');
    expect(await store.get('token')).toBeUndefined();
  });

  it('are limited in number, however many clusters there were: those that were stored last are kept', async () => {
    const store = new MemorySecretStore();
    for (let n = 0; n < SECRETS_KEPT; n += 1) await store.put(`cluster ${n}`, 'short');
    await store.put('cluster 0', 'again');
    await store.put('one more', 'short');
    expect(await store.get('cluster 0')).toBe('again');
    expect(await store.get('cluster 1')).toBeUndefined();
    expect(await store.get('cluster 2')).toBe('short');
    expect(await store.get('one more')).toBe('short');
  });
});
