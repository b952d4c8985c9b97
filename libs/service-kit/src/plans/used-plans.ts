import { createHash } from 'node:crypto';
import type { RequestMeta } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';
import { newEvents, type EventContext } from '../resources/new-events.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const streamOf = (seed: string): string => `idempotency-${sha256(`plan:${seed}`).slice(0, 32)}`;

/**
 * Stores which plans were executed, in one stream `idempotency-<hash>` for each of them, so that a token is used once by all replicas
 * together. A plan is identified by the seed of its values; `user` is the same in every attempt and repeat of one request.
 */
export class UsedPlans {
  constructor(
    private readonly store: EventStore,
    private readonly now: () => string = () => new Date().toISOString(),
  ) {}

  async isUsedByOther(seed: string, user: string): Promise<boolean> {
    const [use] = await this.store.readStream(streamOf(seed), { limit: 1 });
    return use !== undefined && hashIn(use) !== sha256(user);
  }

  /** Returns false where another request used the plan before. */
  async use(seed: string, user: string, { correlationId, actor }: RequestMeta): Promise<boolean> {
    const stream = streamOf(seed);
    const context: EventContext = { correlationId, actor: actor.keyId, project: actor.project ?? '' };
    const used = { type: 'RequestAccepted', data: { hash: sha256(user) } };
    try {
      await this.store.append(stream, newEvents(stream, -1, [used], context, this.now()), 'no_stream');
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      return !(await this.isUsedByOther(seed, user));
    }
  }
}

const hashIn = ({ data }: RecordedEvent): string | undefined => (data as { readonly hash?: string }).hash;
