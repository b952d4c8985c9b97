import { createHash } from 'node:crypto';
import type { RequestMeta } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';
import { newEvents, type EventContext } from '../resources/new-events.js';

/** How often one plan was executed, by others than the requester. */
export interface PlanUses {
  readonly times: number;
  /** Takes this use; once for each requester. False: another was faster. */
  spend(): Promise<boolean>;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Remembers executed plans of what would be new, since the same plan fits again afterwards: stream `idempotency-<hash of the plan>`, one
 * event for each use, appended at the revision that was looked at. So it holds between replicas.
 */
export class SpentPlans {
  constructor(
    private readonly store: EventStore,
    private readonly now: () => string = () => new Date().toISOString(),
  ) {}

  /** `plan`: the digest of request and plan. `user`: who asks, the same in every attempt and repeat of one request. */
  async usesOf(plan: string, user: string, meta: RequestMeta): Promise<PlanUses> {
    const stream = `idempotency-${sha256(`plan:${plan}`).slice(0, 32)}`;
    const mine = sha256(`plan-user:${meta.actor.project ?? ''}:${user}`);
    const events = await this.store.readStream(stream);
    if (isOf(events.at(-1), mine)) return { times: events.length - 1, spend: () => Promise.resolve(true) };
    return { times: events.length, spend: () => this.spend(stream, events.length - 1, mine, meta) };
  }

  private async spend(stream: string, after: number, mine: string, meta: RequestMeta): Promise<boolean> {
    const { correlationId, actor } = meta;
    const context: EventContext = { correlationId, actor: actor.keyId, project: actor.project ?? '' };
    const events = newEvents(stream, after, [{ type: 'RequestAccepted', data: { hash: mine } }], context, this.now());
    try {
      await this.store.append(stream, events, after < 0 ? 'no_stream' : after);
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      // a repeat of the same request may be under way
      const [first] = await this.store.readStream(stream, { from: after + 1, limit: 1 });
      return isOf(first, mine);
    }
  }
}

const isOf = (event: RecordedEvent | undefined, hash: string): boolean =>
  (event?.data as { readonly hash?: string } | undefined)?.hash === hash;
