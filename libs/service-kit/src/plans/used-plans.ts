import type { RequestMeta } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import { appendAccepted, idempotencyStream, sha256 } from '../resources/request-ledger.js';

const streamOf = (seed: string): string => idempotencyStream(`plan:${seed}`);

/**
 * Stores which plans were executed, in one stream `idempotency-<hash>` for each of them, so that a token is used once by all replicas
 * together. A plan is identified by the seed of its values; `user` is the same in every attempt and repeat of one request.
 */
export class UsedPlans {
  constructor(private readonly store: EventStore) {}

  async isUsedByOther(seed: string, user: string): Promise<boolean> {
    const [use] = await this.store.readStream(streamOf(seed), { limit: 1 });
    return use !== undefined && (use.data as { readonly hash?: string }).hash !== sha256(user);
  }

  /** Returns false where another request used the plan before. */
  async use(seed: string, user: string, meta: RequestMeta): Promise<boolean> {
    try {
      await appendAccepted(this.store, streamOf(seed), { hash: sha256(user) }, meta);
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      return !(await this.isUsedByOther(seed, user));
    }
  }
}
