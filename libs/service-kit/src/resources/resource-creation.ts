import { RefusedError, type RequestMeta } from '@stave/contracts';
import { omitUndefined, type Decision, type DomainEvent, type QuotaAmounts } from '@stave/domain';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import type { CreationTerms } from '../quotas/quota-guard.js';
import { requestContext } from './access.js';
import { AppendsAhead } from './appends-ahead.js';
import type { EventContext } from './new-events.js';
import type { AcceptedRequest, RequestIds, RequestLedger } from './request-ledger.js';
import type { Show } from './change-request.js';
import type { CommandedResource, CommandReply, ResourceScope } from './resource-commands.js';
import type { Executed } from './resource-model.js';

/** A creation of one resource. `R` is what the request resolves to, such as the attributes with the values of its sources. */
export interface CreateRequest<S, E extends DomainEvent, R extends object> {
  /** What the idempotency key is remembered with: the same key with another body is refused. */
  readonly body: unknown;
  /** True when the creation starts an operation; the answer then names it. Default: false. */
  readonly starts?: boolean;
  /** Resolves the request before it is remembered, and when an unfinished creation is repeated: `ids.resolved` is then what `stored` returned. Throws RefusedError. */
  readonly resolve: (ids: AcceptedRequest) => R | Promise<R>;
  /** Checks what `before` would refuse, before the request is remembered. Throws RefusedError. */
  readonly check?: (resolved: R, ids: RequestIds) => Promise<void>;
  /** Returns what is stored with the request because its sources may change or be deleted; undefined where nothing is. */
  readonly stored?: (resolved: R) => unknown;
  readonly scope: (resolved: R, ids: RequestIds) => ResourceScope;
  /** Prepares the creation in other streams, such as by reserving a name. Idempotent: a repeat calls it again. */
  readonly before?: (resolved: R, context: EventContext, ids: RequestIds) => Promise<unknown>;
  /** True where `before` does nothing but put appends ahead (`EventContext.ahead`), which what the creation depends on may overlap. Default: false. */
  readonly beforeIsAhead?: boolean;
  /** Returns what `before` takes of the quotas of the project, so that a refusal names everything at once. */
  readonly also?: (resolved: R) => QuotaAmounts;
  readonly decide: (resolved: R, ids: RequestIds) => Decision<E>;
  /** Completes the creation in other streams. Idempotent: a repeat calls it again. Resolves to the position of the last event there, or -1. */
  readonly after?: (state: S, context: EventContext) => Promise<number>;
  /** Default: the document of the created resource. */
  readonly show?: Show<S>;
}

/**
 * Creates a resource in its own stream, once. A repeat with the same idempotency key completes what is missing and gets the answer of the
 * first request, even if its sources were changed or deleted since. Throws RefusedError.
 */
export function createResource<S, E extends DomainEvent, R extends object>(
  ledger: RequestLedger,
  { model, scope: scopeOf, show: showFields, changed, refusalIn }: CommandedResource<S>,
  meta: RequestMeta,
  request: CreateRequest<S, E, R>,
): Promise<CommandReply> {
  const { body, starts = false, resolve, scope, decide, show = showFields } = request;
  const newIds = ledger.newIds(meta);
  let resolved: R | undefined;

  const contextIn = (ids: RequestIds, { projectId, clusterId }: ResourceScope): EventContext =>
    requestContext(meta, starts ? ids : { requestId: ids.requestId }, projectId, clusterId);

  const createIn = (context: EventContext, ids: RequestIds, planned: R): Promise<Executed<S>> => {
    const createNow = async (): Promise<Executed<S>> => {
      await request.before?.(planned, context, ids);
      return model.create(ids.resourceId, () => decide(planned, ids), context);
    };
    if (!model.quota) return createNow();
    return model.quota.creating(ids.resourceId, decide(planned, ids), context, createNow, termsOf(request, planned));
  };

  const create = async (ids: RequestIds, planned: R, isFirst: boolean): Promise<Executed<S>> => {
    const context = contextIn(ids, scope(planned, ids));
    const ahead = new AppendsAhead();
    if (isFirst && !context.admission)
      try {
        return await createIn({ ...context, ahead }, ids, planned);
      } catch (error) {
        // somebody else had the name: `before` finds out whether it is free by now
        if (!ahead.isRefusal(error)) throw error;
      }
    return createIn(context, ids, planned);
  };

  const perform = async (ids: AcceptedRequest, repeat: boolean): Promise<CommandReply> => {
    const earlier = repeat ? await model.asAccepted(ids.resourceId, ids.requestId) : undefined;
    // what was resolved here has the ids of this request; a repeat has those of the first one
    const own = repeat ? undefined : resolved;
    const { state, position } = earlier
      ? model.existing(earlier)
      : await create(ids, own ?? (await resolve(ids)), !repeat);
    if (position !== undefined) changed?.(ids.resourceId, position);
    const last = laterPosition(position, await request.after?.(state, contextIn(ids, scopeOf(state))));
    const resource = await show(state, ids, last);
    return new ReplyWithPosition(starts ? { resource, operationId: ids.operationId } : { resource }, last);
  };

  return ledger.run(meta, body, perform, async () => {
    resolved = await resolve(newIds);
    const refusal = refusalIn?.(scope(resolved, newIds).projectId);
    if (refusal) throw new RefusedError(refusal);
    // without an idempotency key `before` refuses at once
    if (meta.idempotencyKey !== undefined) {
      await request.check?.(resolved, newIds);
      await model.quota?.checkCreation(newIds.resourceId, decide(resolved, newIds), meta, request.also?.(resolved));
    }
    return { ...newIds, ...omitUndefined({ resolved: request.stored?.(resolved) }) };
  });
}

const termsOf = <S, E extends DomainEvent, R extends object>(
  { before, beforeIsAhead = false, also }: CreateRequest<S, E, R>,
  resolved: R,
): CreationTerms => ({ overlaps: !before || beforeIsAhead, ...omitUndefined({ also: also?.(resolved) }) });

/** Returns the later of two positions; undefined when there is none. */
export const laterPosition = (own: number | undefined, other = -1): number | undefined =>
  other < 0 ? own : Math.max(other, own ?? -1);
