import type { DriverContext } from '@stave/driver-sdk';

/** A join token as its engine issued it: a secret, valid for `lifetimeMs` from now. */
export interface IssuedToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

type Context = Pick<DriverContext, 'secrets' | 'now'>;

/**
 * Keeps short-lived join tokens in the secret store of the conductor, so that many nodes that are made at the same time share one, and no
 * node gets one that is about to expire. The conductor removes their values from everything that it reports.
 */
export class JoinTokens {
  /** `issue` makes a token at the engine, for a cluster and a role; its errors reach the caller of `obtain`. */
  constructor(private readonly issue: (clusterId: string, role: string) => Promise<IssuedToken>) {}

  /** Returns a token that is valid for at least `neededMs`; a new one when there is none in the store. Throws a RangeError when no token lives that long. */
  async obtain(
    ctx: Context,
    cluster: { readonly id: string; readonly role: string },
    neededMs: number,
  ): Promise<string> {
    const known = await this.stored(ctx, cluster);
    if (known && known.expires - ctx.now() >= neededMs) return known.token;
    const { token, lifetimeMs } = await this.issue(cluster.id, cluster.role);
    if (lifetimeMs < neededMs) throw new RangeError('a join token must live longer than the join may take');
    await ctx.secrets.put(`${nameOf(cluster)} token`, token);
    await ctx.secrets.put(`${nameOf(cluster)} expiry`, expiryText(ctx.now() + lifetimeMs));
    return token;
  }

  /** Removes the token of a cluster and role, for example after it was rotated. */
  async forget(ctx: Context, cluster: { readonly id: string; readonly role: string }): Promise<void> {
    await ctx.secrets.delete(`${nameOf(cluster)} token`);
    await ctx.secrets.delete(`${nameOf(cluster)} expiry`);
  }

  private async stored(
    ctx: Context,
    cluster: { readonly id: string; readonly role: string },
  ): Promise<{ readonly token: string; readonly expires: number } | undefined> {
    const token = await ctx.secrets.get(`${nameOf(cluster)} token`);
    const expiry = await ctx.secrets.get(`${nameOf(cluster)} expiry`);
    if (token === undefined || expiry === undefined) return undefined;
    return { token, expires: Number(expiry.slice(expiryPrefix.length)) };
  }
}

const nameOf = ({ id, role }: { readonly id: string; readonly role: string }): string => `${id} ${role} join`;

/** Values of the store are removed from logs wherever they appear, so that of a time must be one that appears nowhere else. */
const expiryPrefix = 'join-token-expires-at-';
const expiryText = (milliseconds: number): string => `${expiryPrefix}${Math.floor(milliseconds)}`;
