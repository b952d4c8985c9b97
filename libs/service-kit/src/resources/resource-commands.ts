import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import type { Decision, DomainEvent, OperationStart } from '@stave/domain';
import { requestContext } from './access.js';
import type { EventContext } from './new-events.js';
import { admissionOf } from '../plans/append-admission.js';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import type { AcceptedRequest, RequestIds, RequestLedger } from './request-ledger.js';
import type { Entry, Executed, ResourceModel } from './resource-model.js';

/** Where a resource belongs: metadata of its events. */
export interface ResourceScope {
  readonly projectId: string;
  readonly clusterId?: string;
}

/** What the client sees; `position` is that of the last event of the change, undefined where nothing was to be done. */
export type Show<S> = (
  state: S,
  ids: RequestIds,
  position: number | undefined,
) => ResourceDocument | Promise<ResourceDocument>;

export interface ChangeRequest<S, E extends DomainEvent> {
  /** Id of what is changed: `ids.resourceId` from then on. Throws RefusedError. Not asked for a repeat: it may be gone meanwhile. */
  readonly find: () => Promise<string>;
  /** The resource in whose stream it is decided; default: the one that was found. */
  readonly decidedIn?: (id: string) => Promise<string>;
  /** With what the idempotency key is remembered. */
  readonly body: unknown;
  /** Whether it may start work that the client can wait for; the answer names the operation where an event of it begins one. */
  readonly starts: boolean;
  /** Where it starts none: the operation whose history it is part of. */
  readonly partOf?: string;
  /** What else must hold, beyond the resource itself; throws RefusedError. */
  readonly check?: (state: S, ids: RequestIds) => void | Promise<void>;
  readonly decide: (state: S, ids: RequestIds) => Decision<E>;
  /** Done before the decision is made, once it is clear that it would be; may be done again for a repeat. */
  readonly before?: (state: S, context: EventContext) => Promise<void>;
  /** Default: the resource that was changed. */
  readonly show?: Show<S>;
}

export interface CommandedResource<S> {
  readonly model: ResourceModel<S>;
  readonly home: (state: S) => ResourceScope;
  readonly show: (state: S) => ResourceDocument;
}

interface Done<S> extends Executed<S> {
  readonly events: readonly { readonly data: unknown }[];
}

/** Changes of the existing resources of one type: each is one decision in one stream, remembered by its idempotency key. */
export class ResourceCommands<S> {
  constructor(
    private readonly ledger: RequestLedger,
    private readonly resource: CommandedResource<S>,
  ) {}

  /**
   * Answers with the resource as accepted; a repeat with the same idempotency key answers as the first did, whatever became of the
   * resource. Throws RefusedError with what the decider refuses, and nothing is remembered then.
   */
  async change<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const found = async (): Promise<RequestIds> => ({ ...this.ledger.newIds(meta), resourceId: await request.find() });
    if (meta.idempotencyKey === undefined) return this.perform(meta, request, await found(), Infinity);
    let seen: number | undefined;
    return this.ledger.first(
      meta,
      request.body,
      ids => this.once(meta, request, ids, seen),
      async () => {
        const { remembered, revision } = await this.accepted(request, await found());
        seen = revision;
        return remembered;
      },
    );
  }

  /** Up to `seen` the stream has nothing of this request. Others may be doing the same one now: each event that comes is looked at. */
  private async once<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
    ids: AcceptedRequest,
    seen: number | undefined,
  ): Promise<ReplyWithPosition<CommandResult>> {
    if (ids.unchangedAt !== undefined) return this.unchanged(request, ids, ids.unchangedAt);
    const id = await placeOf(request, ids);
    for (let known = seen; ; known = undefined) {
      const upTo = known ?? (await this.resource.model.load(id)).streamRevision;
      const done = known === undefined ? await this.resource.model.asAccepted(id, ids.requestId, ids.after) : undefined;
      if (done) return this.answer(request, ids, done);
      try {
        return await this.perform(meta, request, ids, upTo);
      } catch (error) {
        if (!(error instanceof StreamMoved)) throw error;
      }
    }
  }

  private async accepted<E extends DomainEvent>(
    request: ChangeRequest<S, E>,
    ids: RequestIds,
  ): Promise<{ readonly remembered: AcceptedRequest; readonly revision: number }> {
    const { state, streamRevision: revision } = await this.resource.model.load(await placeOf(request, ids));
    await request.check?.(state, ids);
    const decision = request.decide(state, ids);
    if (!decision.ok) throw new RefusedError(decision.refusal);
    const remembered = decision.events.length === 0 ? { unchangedAt: revision } : { after: revision };
    return { remembered: { ...ids, ...remembered }, revision };
  }

  /** What changed nothing changes nothing later either. */
  private async unchanged<E extends DomainEvent>(
    request: ChangeRequest<S, E>,
    ids: RequestIds,
    unchangedAt: number,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const { state } = await this.resource.model.asOf(await placeOf(request, ids), e => e.revision <= unchangedAt);
    return this.answer(request, ids, { state, position: undefined, events: [] });
  }

  /** Throws StreamMoved when the decision would be made on events after `upTo`. */
  private async perform<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
    ids: RequestIds,
    upTo: number,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const { decide, starts, partOf, check, before } = request;
    const { model, home } = this.resource;
    const id = await placeOf(request, ids);
    let events: readonly DomainEvent[] = [];
    const context = (state: S): EventContext => {
      const { projectId, clusterId } = home(state);
      const own = starts && events.some(event => begins(event, ids.operationId)) ? ids.operationId : partOf;
      const operation = own === undefined ? {} : { operationId: own };
      return requestContext(meta, { requestId: ids.requestId, ...operation }, projectId, clusterId);
    };
    const decided = (state: S, { streamRevision }: Entry<S>): Decision<E> => {
      if (streamRevision > upTo) throw new StreamMoved();
      const decision = decide(state, ids);
      events = decision.ok ? decision.events : [];
      return decision;
    };
    if (check ?? before) {
      const entry = await model.load(id);
      if (entry.streamRevision > upTo) throw new StreamMoved();
      await check?.(entry.state, ids);
      const decision = decided(entry.state, entry);
      if (!decision.ok) throw new RefusedError(decision.refusal);
      // not in the middle of what it appends itself: a look at the plan does all of it
      if (before) await admissionOf(meta)?.verify();
      await before?.(entry.state, context(entry.state));
    }
    return this.answer(request, ids, { ...(await model.execute(id, decided, context)), events });
  }

  private async answer<E extends DomainEvent>(
    { show = this.resource.show }: ChangeRequest<S, E>,
    ids: RequestIds,
    { state, position, events }: Done<S>,
  ): Promise<ReplyWithPosition<CommandResult>> {
    const resource = await show(state, ids, position);
    const started = events.some(event => begins(event, ids.operationId));
    return new ReplyWithPosition(started ? { resource, operationId: ids.operationId } : { resource }, position);
  }
}

/** Events came that were not looked at: one may be of the same request. */
class StreamMoved extends Error {}

const begins = ({ data }: { readonly data: unknown }, operationId: string): boolean =>
  (data as { readonly operation?: OperationStart }).operation?.id === operationId;

const placeOf = async <S, E extends DomainEvent>(request: ChangeRequest<S, E>, ids: RequestIds): Promise<string> =>
  request.decidedIn ? request.decidedIn(ids.resourceId) : ids.resourceId;
