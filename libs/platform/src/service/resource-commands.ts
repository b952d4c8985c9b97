import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import type { Decision, DomainEvent, OperationStart } from '@stave/domain';
import { requestContext } from './access.js';
import type { EventContext } from './new-events.js';
import { Positioned } from './reply.filter.js';
import type { AcceptedRequest, RequestIds, RequestLedger } from './request-ledger.js';
import type { Executed, ResourceModel } from './resource-model.js';

/** Where a resource belongs: metadata of its events. */
export interface Home {
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
  readonly home: (state: S) => Home;
  readonly show: (state: S) => ResourceDocument;
}

interface Done<S> extends Executed<S> {
  readonly events: readonly { readonly data: unknown }[];
}

interface CommandRuntime {
  readonly ledger: RequestLedger;
  newIds(): RequestIds;
}

/** Changes of the existing resources of one type: each is one decision in one stream, remembered by its idempotency key. */
export class ResourceCommands<S> {
  constructor(
    private readonly runtime: CommandRuntime,
    private readonly resource: CommandedResource<S>,
  ) {}

  /**
   * Answers with the resource as accepted; a repeat with the same idempotency key answers as the first did, whatever became of the
   * resource. Throws RefusedError with what the decider refuses, and nothing is remembered then.
   */
  async change<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
  ): Promise<Positioned<CommandResult>> {
    const found = async (): Promise<RequestIds> => ({ ...this.runtime.newIds(), resourceId: await request.find() });
    if (meta.idempotencyKey === undefined) return this.perform(meta, request, await found(), false);
    return this.runtime.ledger.first(
      meta,
      request.body,
      async (ids, repeat) =>
        (repeat ? await this.repeated(request, ids) : await this.unchanged(request, ids)) ??
        this.perform(meta, request, ids, !repeat),
      async () => this.accepted(request, await found()),
    );
  }

  private async accepted<E extends DomainEvent>(
    request: ChangeRequest<S, E>,
    ids: RequestIds,
  ): Promise<AcceptedRequest> {
    const { state, streamRevision } = await this.resource.model.load(await placeOf(request, ids));
    await request.check?.(state, ids);
    const decision = request.decide(state, ids);
    if (!decision.ok) throw new RefusedError(decision.refusal);
    return decision.events.length === 0 ? { ...ids, unchangedAt: streamRevision } : ids;
  }

  /** The answer of the first; undefined when it was remembered and not done. */
  private async repeated<E extends DomainEvent>(
    request: ChangeRequest<S, E>,
    ids: AcceptedRequest,
  ): Promise<Positioned<CommandResult> | undefined> {
    if (ids.unchangedAt !== undefined) return this.unchanged(request, ids);
    const done = await this.resource.model.asAccepted(await placeOf(request, ids), ids.requestId);
    return done && this.answer(request, ids, done);
  }

  /** What changed nothing changes nothing later either. */
  private async unchanged<E extends DomainEvent>(
    request: ChangeRequest<S, E>,
    ids: AcceptedRequest,
  ): Promise<Positioned<CommandResult> | undefined> {
    const { unchangedAt } = ids;
    if (unchangedAt === undefined) return undefined;
    const { state } = await this.resource.model.asOf(await placeOf(request, ids), e => e.revision <= unchangedAt);
    return this.answer(request, ids, { state, position: undefined, events: [] });
  }

  private async perform<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
    ids: RequestIds,
    checked: boolean,
  ): Promise<Positioned<CommandResult>> {
    const { decide, starts, partOf, check, before } = request;
    const { model, home } = this.resource;
    const id = await placeOf(request, ids);
    const operation = starts ? { operationId: ids.operationId } : partOf === undefined ? {} : { operationId: partOf };
    const context = (state: S): EventContext => {
      const { projectId, clusterId } = home(state);
      return requestContext(meta, { requestId: ids.requestId, ...operation }, projectId, clusterId);
    };
    if (check && !checked) await check((await model.load(id)).state, ids);
    if (before) {
      const { state } = await model.load(id);
      const decision = decide(state, ids);
      if (!decision.ok) throw new RefusedError(decision.refusal);
      await before(state, context(state));
    }
    let events: readonly DomainEvent[] = [];
    const decided = (state: S): Decision<E> => {
      const decision = decide(state, ids);
      events = decision.ok ? decision.events : [];
      return decision;
    };
    return this.answer(request, ids, { ...(await model.execute(id, decided, context)), events });
  }

  private async answer<E extends DomainEvent>(
    { show = this.resource.show }: ChangeRequest<S, E>,
    ids: RequestIds,
    { state, position, events }: Done<S>,
  ): Promise<Positioned<CommandResult>> {
    const resource = await show(state, ids, position);
    const started = events.some(event => begins(event, ids.operationId));
    return new Positioned(started ? { resource, operationId: ids.operationId } : { resource }, position);
  }
}

const begins = ({ data }: { readonly data: unknown }, operationId: string): boolean =>
  (data as { readonly operation?: OperationStart }).operation?.id === operationId;

const placeOf = async <S, E extends DomainEvent>(request: ChangeRequest<S, E>, ids: RequestIds): Promise<string> =>
  request.decidedIn ? request.decidedIn(ids.resourceId) : ids.resourceId;
