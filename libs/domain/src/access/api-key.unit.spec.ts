import { foldAll } from '../kernel/given.fixture.js';
import { apiKeyStream, createApiKey, isExpired, revokeApiKey, rotateApiKey, secretValidUntil } from './api-key.js';

const key = { id: 'k', name: 'ci', project: 'p', role: 'member', hash: 'h' } as const;
const [before, now, later, latest] = [1, 2, 3, 4].map(day => `2030-01-0${day}T00:00:00.000Z`) as [
  string,
  string,
  string,
  string,
];
const created = (more: object = {}) => foldAll(apiKeyStream, [{ type: 'ApiKeyCreated', data: { ...key, ...more } }]);
const secret = (hash: string, formerUntil: string, more: object = {}) => ({
  hash,
  prefix: `stv_${hash}`,
  formerUntil,
  ...more,
});

function rotated(state: ReturnType<typeof created>, ...of: Parameters<typeof secret>) {
  if (!state) throw new Error('the key does not exist');
  const decision = rotateApiKey(state, secret(...of), now);
  if (!decision.ok) throw new Error(decision.refusal.code);
  return foldAll(apiKeyStream, decision.events, state);
}

describe('an API key', () => {
  it('an API key is valid until it is revoked', () => {
    const made = created();
    expect(made).toMatchObject({ key, deleted: false, revision: 1 });
    expect(made && revokeApiKey(made)).toMatchObject({ ok: true, events: [{ type: 'ApiKeyRevoked' }] });
    const revoked = foldAll(apiKeyStream, [{ type: 'ApiKeyRevoked', data: { id: 'k' } }], made);
    expect(revoked).toMatchObject({ key, deleted: true, revision: 2 });
    expect(revoked && revokeApiKey(revoked)).toEqual({ ok: true, events: [] });
    expect(revoked && rotateApiKey(revoked, secret('x', now), now)).toMatchObject({ refusal: { code: 'not-found' } });
  });

  it('an API key that has expired is not created, and one that expires is valid until then', () => {
    for (const expiresAt of [before, now])
      expect(createApiKey({ ...key, expiresAt }, now)).toMatchObject({
        refusal: { code: 'in-the-past', errors: [{ pointer: '/expiresAt' }] },
      });
    expect(createApiKey({ ...key, expiresAt: later }, now)).toMatchObject({ ok: true });
    const made = created({ expiresAt: later });
    expect(made && [isExpired(made, now), isExpired(made, later)]).toEqual([false, true]);
    expect(made && secretValidUntil(made, 'h', now)).toBe(later);
    expect(made && secretValidUntil(made, 'h', later)).toBeUndefined();
    const endless = created();
    expect(endless && secretValidUntil(endless, 'h', now)).toBeNull();
  });

  it('the former secret is valid during the overlap, and the one before it no longer', () => {
    const once = rotated(created(), 'second', later);
    expect(once).toMatchObject({ rotation: 1, revision: 2, key: { hash: 'second', prefix: 'stv_second' } });
    expect(once && ['h', 'second', 'other'].map(hash => secretValidUntil(once, hash, now))).toEqual([
      later,
      null,
      undefined,
    ]);
    expect(once && secretValidUntil(once, 'h', later)).toBeUndefined();
    const twice = rotated(once, 'third', latest);
    expect(twice && ['h', 'second', 'third'].map(hash => secretValidUntil(twice, hash, now))).toEqual([
      undefined,
      latest,
      null,
    ]);
  });

  it('no secret outlives the key, and a rotation of an expired key requires a later time', () => {
    const made = rotated(created({ expiresAt: later }), 'second', latest);
    expect(made && ['h', 'second'].map(hash => secretValidUntil(made, hash, now))).toEqual([later, later]);
    expect(made && rotateApiKey(made, secret('third', now), later)).toMatchObject({ refusal: { code: 'in-the-past' } });
    const renewed = rotated(made, 'third', now, { expiresAt: latest });
    expect(renewed?.key.expiresAt).toBe(latest);
  });

  it('changes of an API key honour the revision that the client knows', () => {
    const made = created();
    expect(made && revokeApiKey(made, 2)).toMatchObject({ refusal: { code: 'revision-mismatch' } });
    expect(made && rotateApiKey(made, secret('x', now), now, 2)).toMatchObject({
      refusal: { code: 'revision-mismatch' },
    });
    expect(made && rotateApiKey(made, secret('x', now), now, 1)).toMatchObject({ ok: true });
  });
});
