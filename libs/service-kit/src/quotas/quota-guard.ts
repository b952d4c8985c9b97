import { isDeepStrictEqual } from 'node:util';
import { RefusedError } from '@stave/contracts';
import { addedAmounts, type Decision, type DomainEvent, type QuotaAmounts } from '@stave/domain';
import type { EventContext } from '../resources/new-events.js';
import type { Entry } from '../resources/resource-entry.js';
import type { ProjectQuotas, QuotaChange } from './project-quotas.js';

/** The streams of a resource type, as far as a guard needs them. */
interface GuardedStreams<S> {
  stream(id: string): string;
  stateAfter(before: S | undefined, events: readonly DomainEvent[]): S | undefined;
}

export interface QuotaRules<S> {
  readonly streams: GuardedStreams<S>;
  readonly projectOf: (state: S) => string;
  /** Returns all that the resource takes. */
  readonly amountsOf: (state: S) => QuotaAmounts;
}

export interface CreationTerms {
  /** What is created before it in other streams. */
  readonly also?: QuotaAmounts;
  /**
   * True where nothing but appends ahead is prepared for the creation. Where this process knows of no limit, the stream of the quota is read
   * while these are appended then, and the resource is written only if there is no limit, or room was reserved. Default: false.
   */
  readonly overlaps?: boolean;
}

/** Of what asks: a plan takes what would change. */
type Asking = Pick<EventContext, 'correlationId' | 'admission'>;

/** Holds the resources of one type to the quotas of their projects. */
export class QuotaGuard<S> {
  constructor(
    private readonly quotas: ProjectQuotas,
    private readonly rules: QuotaRules<S>,
  ) {}

  /** Refuses events for which there is no room, and reserves nothing. A plan shows what they would take. Throws RefusedError `quota-exceeded`. */
  async checkChange(id: string, entry: Entry<S>, events: readonly DomainEvent[], context: Asking): Promise<void> {
    await this.check(this.changeBy(id, entry, events, context), context);
  }

  /** Reserves room for the next events of a resource before they are appended. Throws RefusedError `quota-exceeded`. */
  async reserveChange(
    id: string,
    entry: Entry<S>,
    events: readonly DomainEvent[],
    context: EventContext,
  ): Promise<void> {
    const change = this.changeBy(id, entry, events, context);
    if (change) await this.quotas.reserve(change);
  }

  /** As `checkChange`, for a creation; `also`: what is created before it in other streams. */
  async checkCreation(
    id: string,
    decision: Decision<DomainEvent>,
    request: Asking,
    also: QuotaAmounts = {},
  ): Promise<void> {
    const own = this.creationBy(id, decision, request);
    if (own) await this.quotas.check(withAlso(own, also));
  }

  /**
   * Reserves room for a creation, and creates; what `also` names reserves for itself, and is checked with it before. Gives the room back where the creation is refused, unless the client may repeat it: then it has
   * the same id. A plan only checks. Throws RefusedError `quota-exceeded`, and what `create` throws.
   */
  async creating<T>(
    id: string,
    decision: Decision<DomainEvent>,
    context: EventContext,
    create: () => Promise<T>,
    { also = {}, overlaps = false }: CreationTerms = {},
  ): Promise<T> {
    const change = this.creationBy(id, decision, context);
    if (!change) return create();
    const { admission, ahead } = context;
    if (admission?.claims) {
      await this.check(withAlso(change, also), context);
      return create();
    }
    // a request that is not executed as planned reserves nothing
    await admission?.verify();
    if (Object.values(also).some(amount => amount > 0)) await this.quotas.check(withAlso(change, also));
    let reservation: Promise<boolean> | undefined;
    const reserve = (): Promise<boolean> => (reservation = this.quotas.reserve(change));
    if (overlaps && ahead && !this.quotas.isKnownToConcern(change)) ahead.require(reserve);
    else await reserve();
    try {
      return await create();
    } catch (error) {
      // it may still be under way, and what comes after its release would not be given back at once
      const isReserved = await reservation?.catch(() => false);
      if (isReserved && error instanceof RefusedError && context.idempotencyKey === undefined)
        await this.quotas.release(change);
      throw error;
    }
  }

  private async check(change: QuotaChange | undefined, { admission }: Asking): Promise<void> {
    if (!change) return;
    const claims = await this.quotas.check(change);
    if (claims.length > 0) admission?.claims?.(claims);
  }

  /** The events of a stream at one place are the same for its quota, whoever asks: they have one reservation. */
  private changeBy(
    id: string,
    { state, streamRevision: after }: Entry<S>,
    events: readonly DomainEvent[],
    { correlationId }: Asking,
  ): QuotaChange | undefined {
    const { streams, amountsOf, projectOf } = this.rules;
    const next = streams.stateAfter(state, events);
    if (next === undefined) return undefined;
    const [before, amounts] = [amountsOf(state), amountsOf(next)];
    if (isDeepStrictEqual(before, amounts)) return undefined;
    const stream = streams.stream(id);
    return { projectId: projectOf(state), id: `${stream}@${after}`, stream, after, amounts, before, correlationId };
  }

  private creationBy(id: string, decision: Decision<DomainEvent>, { correlationId }: Asking): QuotaChange | undefined {
    const { streams, amountsOf, projectOf } = this.rules;
    const next = decision.ok ? streams.stateAfter(undefined, decision.events) : undefined;
    if (next === undefined) return undefined;
    const change = { stream: streams.stream(id), after: -1, amounts: amountsOf(next), before: {} };
    return { projectId: projectOf(next), id, correlationId, ...change };
  }
}

const withAlso = (change: QuotaChange, also: QuotaAmounts): QuotaChange => ({
  ...change,
  amounts: addedAmounts(change.amounts, also),
});
