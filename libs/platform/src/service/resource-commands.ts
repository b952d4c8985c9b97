import { RefusedError, type CommandResult, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import type { Decision, DomainEvent } from '@stave/domain';
import { requestContext } from './access.js';
import { Positioned } from './reply.filter.js';
import type { RequestIds, RequestLedger } from './request-ledger.js';
import type { ResourceModel } from './resource-model.js';

/** Where a resource belongs: metadata of its events. */
export interface Home {
  readonly projectId: string;
  readonly clusterId?: string;
}

export interface ChangeRequest<S, E extends DomainEvent> {
  readonly id: string;
  /** With what the idempotency key is remembered. */
  readonly body: unknown;
  readonly home: Home;
  /** Whether it starts work that the client can wait for; the answer names the operation then. */
  readonly starts: boolean;
  readonly decide: (state: S, ids: RequestIds) => Decision<E>;
  /** What the client sees; default: the resource that was changed. */
  readonly show?: (state: S) => ResourceDocument;
}

export interface CommandedResource<S> {
  readonly model: ResourceModel<S>;
  readonly show: (state: S) => ResourceDocument;
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
   * Answers with the resource as accepted; a repeat with the same idempotency key answers as the first did. Throws RefusedError with what
   * the decider refuses, and nothing is remembered then.
   */
  change<E extends DomainEvent>(meta: RequestMeta, request: ChangeRequest<S, E>): Promise<Positioned<CommandResult>> {
    const { id, body, decide, starts, home } = request;
    const { model } = this.resource;
    const fresh = this.runtime.newIds();
    const check = async (): Promise<void> => {
      const decision = decide((await model.load(id)).state, fresh);
      if (!decision.ok) throw new RefusedError(decision.refusal);
    };
    return this.runtime.ledger.run(meta, body, fresh, check, async (ids, repeat) => {
      const done = repeat ? await model.asAccepted(id, ids.requestId) : undefined;
      if (done) return this.answer(request, ids, done);
      const known = starts ? ids : { requestId: ids.requestId };
      const context = requestContext(meta, known, home.projectId, home.clusterId);
      return this.answer(request, ids, await model.execute(id, state => decide(state, ids), context));
    });
  }

  private answer<E extends DomainEvent>(
    { starts, show = this.resource.show }: ChangeRequest<S, E>,
    ids: RequestIds,
    { state, position }: { readonly state: S; readonly position: number | undefined },
  ): Positioned<CommandResult> {
    const resource = show(state);
    return new Positioned(starts ? { resource, operationId: ids.operationId } : { resource }, position);
  }
}
