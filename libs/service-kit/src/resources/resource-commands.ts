import type { CommandResult, RequestMeta, ResourceDocument } from '@stave/contracts';
import { refuse, type Decision, type DomainEvent, type Refusal } from '@stave/domain';
import { requestContext } from './access.js';
import type { EventContext } from './new-events.js';
import type { OperationRef } from '../operations/operation-tracker.js';
import { admissionOf } from '../plans/append-admission.js';
import { ReplyWithPosition } from '../composition/reply.filter.js';
import type { ChangeRequest } from './change-request.js';
import { createResource, laterPosition, type CreateRequest } from './resource-creation.js';
import { accepted, startsOperation } from './decisions.js';
import { PerKeyQueue } from './per-key-queue.js';
import type { AcceptedRequest, RequestIds, RequestLedger } from './request-ledger.js';
import type { Entry, Executed, ResourceModel } from './resource-model.js';
import type { CommandLoad } from '../work/command-load.js';

/** The project and cluster that a resource belongs to; part of the metadata of its events. */
export interface ResourceScope {
  readonly projectId: string;
  readonly clusterId?: string;
}

export interface CommandedResource<S> {
  readonly model: ResourceModel<S>;
  readonly scope: (state: S) => ResourceScope;
  readonly show: (state: S) => ResourceDocument;
  /** Returns why nothing can be changed in a project; absent: changes are refused in none. */
  readonly refusalIn?: (projectId: string) => Refusal | undefined;
  /** Called when a command has changed the resource by an event at `position`. */
  readonly changed?: (id: string, position: number) => void;
}

export type CommandReply = ReplyWithPosition<CommandResult>;
type Answer = Promise<CommandReply>;

interface Changed<S> extends Executed<S> {
  readonly events: readonly { readonly data: unknown }[];
}

/** Changes existing resources of one type: each change is one decision in one stream, remembered by its idempotency key. */
export class ResourceCommands<S> {
  /** Changes of one resource wait for each other instead of repeating their decisions. Other replicas are met by the expected revision. */
  private readonly queue = new PerKeyQueue();

  constructor(
    private readonly ledger: RequestLedger,
    private readonly resource: CommandedResource<S>,
    private readonly load?: CommandLoad,
  ) {}

  /**
   * Answers with the resource as accepted. A repeat with the same idempotency key gets the answer of the first request, whatever happened
   * to the resource since. Throws RefusedError with what the decider refuses; a refused request is not remembered.
   */
  change<E extends DomainEvent>(meta: RequestMeta, request: ChangeRequest<S, E>): Answer {
    return this.counted(() => this.changeNow(meta, request));
  }

  private async changeNow<E extends DomainEvent>(meta: RequestMeta, request: ChangeRequest<S, E>): Answer {
    const identify = async (): Promise<RequestIds> => ({
      ...this.ledger.newIds(meta),
      resourceId: (await request.find()).id,
    });
    if (meta.idempotencyKey === undefined) return this.handle(meta, request, await identify(), Infinity);
    return this.ledger.run(
      meta,
      request.body,
      // the events of a repeated request may be anywhere in the stream
      (ids, repeat) => this.handle(meta, request, ids, repeat ? undefined : ids.after),
      async () => this.accept(meta, request, await identify()),
    );
  }

  /** Creates a resource. A repeat with the same idempotency key gets the answer of the first request. Throws RefusedError. */
  create<E extends DomainEvent, R extends object>(meta: RequestMeta, request: CreateRequest<S, E, R>): Answer {
    return this.counted(() => createResource(this.ledger, this.resource, meta, request));
  }

  private counted(command: () => Answer): Answer {
    return this.load ? this.load.during(command) : command();
  }

  /** Cancels an operation on a resource by a decision in its stream. Resolves to the position of the last event appended. */
  async cancel<E extends DomainEvent>(
    meta: RequestMeta,
    { id, target }: OperationRef,
    decide: (state: S, operationId: string, ids: RequestIds) => Decision<E>,
  ): Promise<number | undefined> {
    const { position } = await this.change(meta, {
      find: () => Promise.resolve(target),
      body: { cancel: id },
      starts: true,
      partOf: id,
      decide: (state, ids) => decide(state, id, ids),
    });
    return position;
  }

  /** Decides whether the request would be accepted, before it is remembered. Throws RefusedError. */
  private async accept<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
    ids: RequestIds,
  ): Promise<AcceptedRequest> {
    const { model } = this.resource;
    const id = await decidingId(request, ids);
    const entry = await model.loadExisting(id);
    const { state, streamRevision } = entry;
    await request.check?.(state, ids);
    const events = accepted(this.decided(request, state, ids));
    await model.quota?.checkChange(id, entry, events, meta);
    return { ...ids, ...(events.length === 0 ? { unchangedAt: streamRevision } : { after: streamRevision }) };
  }

  /** Handles an accepted request. It is repeated while events arrive that may be of the same request, handled by another replica. */
  private async handle<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
    ids: AcceptedRequest,
    unrelatedUpTo: number | undefined,
  ): Answer {
    const id = await decidingId(request, ids);
    const handle = (): Answer => this.handleNext(meta, request, ids, id, unrelatedUpTo);
    // a change that executes a plan computes it again by a dry run, which must not wait for that change
    return meta.dryRun ? handle() : this.queue.run(id, handle);
  }

  private async handleNext<E extends DomainEvent>(
    meta: RequestMeta,
    request: ChangeRequest<S, E>,
    ids: AcceptedRequest,
    id: string,
    unrelatedUpTo: number | undefined,
  ): Answer {
    const { model } = this.resource;
    const { unchangedAt } = ids;
    if (unchangedAt !== undefined) {
      // no further decision: a repeat changes nothing either
      const { state } = model.existing(await model.asOf(id, ({ revision }) => revision <= unchangedAt));
      return this.answer(meta, request, ids, { state, position: undefined, events: [] });
    }
    for (let checkedUpTo = unrelatedUpTo; ; checkedUpTo = undefined) {
      // 1. load
      const upTo = checkedUpTo ?? (await model.load(id)).streamRevision;
      // 2. check idempotency: the events of the request may have been appended already
      const earlier = checkedUpTo === undefined ? await model.asAccepted(id, ids.requestId, ids.after) : undefined;
      if (earlier) return this.answer(meta, request, ids, model.existing(earlier));
      let events: readonly E[] = [];
      const decide = (state: S, { streamRevision }: Entry<S>): Decision<E> => {
        if (streamRevision > upTo) throw new UncheckedEvents();
        const decision = this.decided(request, state, ids);
        events = decision.ok ? decision.events : [];
        return decision;
      };
      const context = (state: S): EventContext => this.contextOf(meta, request, ids, state, events);
      try {
        // 3. check what is beyond the resource, and prepare other streams
        await this.prepare(meta, request, ids, id, { decide, context });
        // 4. decide and append
        const { state, position } = await model.execute(id, decide, context);
        if (position !== undefined) this.resource.changed?.(id, position);
        // 5. answer
        return await this.answer(meta, request, ids, { state, position, events });
      } catch (error) {
        if (!(error instanceof UncheckedEvents)) throw error;
      }
    }
  }

  private decided<E extends DomainEvent>(request: ChangeRequest<S, E>, state: S, ids: RequestIds): Decision<E> {
    const refusal = this.resource.refusalIn?.(this.resource.scope(state).projectId);
    return refusal ? refuse(refusal) : request.decide(state, ids);
  }

  private contextOf<E extends DomainEvent>(
    meta: RequestMeta,
    { starts = false, partOf }: ChangeRequest<S, E>,
    { requestId, operationId }: RequestIds,
    state: S,
    events: readonly E[],
  ): EventContext {
    const { projectId, clusterId } = this.resource.scope(state);
    const isStart = starts && events.some(event => startsOperation(event, operationId));
    return requestContext(meta, { requestId, operationId: isStart ? operationId : partOf }, projectId, clusterId);
  }

  private async prepare<E extends DomainEvent>(
    meta: RequestMeta,
    { check, before }: ChangeRequest<S, E>,
    ids: AcceptedRequest,
    id: string,
    { decide, context }: Attempt<S, E>,
  ): Promise<void> {
    if (!check && !before) return;
    const entry = await this.resource.model.loadExisting(id);
    await check?.(entry.state, ids);
    accepted(decide(entry.state, entry));
    if (!before) return;
    // the plan covers everything that is prepared
    await admissionOf(meta)?.verify();
    await before(entry.state, context(entry.state));
  }

  private async answer<E extends DomainEvent>(
    meta: RequestMeta,
    { show = this.resource.show, after }: ChangeRequest<S, E>,
    ids: RequestIds,
    { state, position: own, events }: Changed<S>,
  ): Answer {
    const { projectId, clusterId } = this.resource.scope(state);
    const context = requestContext(meta, { requestId: ids.requestId }, projectId, clusterId);
    const position = laterPosition(own, await after?.(state, context));
    const resource = await show(state, ids, position);
    const started = events.some(event => startsOperation(event, ids.operationId));
    const operation = started ? { operationId: ids.operationId } : {};
    const target = isAbout(resource, ids.resourceId) ? {} : { target: { id: ids.resourceId, projectId } };
    return new ReplyWithPosition({ resource, ...operation, ...target }, position);
  }
}

const isAbout = ({ id, projectId }: ResourceDocument, resourceId: string): boolean =>
  id === resourceId && projectId !== null;

interface Attempt<S, E extends DomainEvent> {
  readonly decide: (state: S, entry: Entry<S>) => Decision<E>;
  readonly context: (state: S) => EventContext;
}

/** Thrown for a stream with events that may be of the same request. */
class UncheckedEvents extends Error {}

const decidingId = async <S, E extends DomainEvent>(request: ChangeRequest<S, E>, ids: RequestIds): Promise<string> =>
  request.decidedIn ? request.decidedIn(ids.resourceId) : ids.resourceId;
