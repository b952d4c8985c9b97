import type { SecretStore } from '@stave/driver-sdk';
import { JoinTokens } from './join-tokens.js';

const cluster = { id: 'c1', role: 'worker' };

function secretStore(): SecretStore {
  const values = new Map<string, string>();
  return {
    get: async name => values.get(name),
    put: async (name, value) => void values.set(name, value),
    delete: async name => void values.delete(name),
  };
}

function tokensAt(lifetimeMs: number) {
  let now = 1_000;
  let issued = 0;
  const tokens = new JoinTokens((id, role) => {
    issued += 1;
    return Promise.resolve({ token: `${id}-${role}-token-${issued}`, lifetimeMs });
  });
  const ctx = { secrets: secretStore(), now: () => now };
  return { tokens, ctx, advance: (by: number) => void (now += by) };
}

describe('join tokens', () => {
  it('nodes share a token while it lives long enough, and get a new one before it expires', async () => {
    const { tokens, ctx, advance } = tokensAt(10_000);
    expect(await tokens.obtain(ctx, cluster, 4_000)).toBe('c1-worker-token-1');
    advance(6_000);
    expect(await tokens.obtain(ctx, cluster, 4_000)).toBe('c1-worker-token-1');
    advance(1);
    expect(await tokens.obtain(ctx, cluster, 4_000)).toBe('c1-worker-token-2');
  });

  it('clusters and roles have tokens of their own, and a forgotten one is not used again', async () => {
    const { tokens, ctx } = tokensAt(10_000);
    await tokens.obtain(ctx, cluster, 1);
    expect(await tokens.obtain(ctx, { id: 'c1', role: 'manager' }, 1)).toBe('c1-manager-token-2');
    expect(await tokens.obtain(ctx, { id: 'c2', role: 'worker' }, 1)).toBe('c2-worker-token-3');
    await tokens.forget(ctx, cluster);
    expect(await tokens.obtain(ctx, cluster, 1)).toBe('c1-worker-token-4');
  });

  it('a token is in the secret store, so that the conductor removes it from logs', async () => {
    const { tokens, ctx } = tokensAt(10_000);
    const token = await tokens.obtain(ctx, cluster, 1);
    expect(await ctx.secrets.get('c1 worker join token')).toBe(token);
  });

  it('a token that expires before the join may end is refused', async () => {
    const { tokens, ctx } = tokensAt(1_000);
    await expect(tokens.obtain(ctx, cluster, 2_000)).rejects.toThrow(RangeError);
  });
});
