import type { ResourceDocument } from '@stave/contracts';
import type { Decision, DomainEvent } from '@stave/domain';
import type { EventContext } from './new-events.js';
import type { RequestIds } from './request-ledger.js';

/** Makes the document of an answer; `position` is that of the last appended event, undefined when nothing was appended. */
export type Show<S> = (
  state: S,
  ids: RequestIds,
  position: number | undefined,
) => ResourceDocument | Promise<ResourceDocument>;

export interface ChangeRequest<S, E extends DomainEvent> {
  /** Finds the resource. Throws RefusedError. Not called for a repeat: the resource may be deleted by then. */
  readonly find: () => Promise<{ readonly id: string }>;
  /** Finds the id of the resource in whose stream the change is decided; default: the one found. */
  readonly decidedIn?: (id: string) => Promise<string>;
  /** What the idempotency key is remembered with: the same key with another body is refused. */
  readonly body: unknown;
  /** True when it may start an operation; the answer then names the operation that an appended event starts. Default: false. */
  readonly starts?: boolean;
  /** The operation that the change belongs to when it starts none. */
  readonly partOf?: string;
  /** Checks rules beyond the resource itself. Throws RefusedError. */
  readonly check?: (state: S, ids: RequestIds) => void | Promise<void>;
  readonly decide: (state: S, ids: RequestIds) => Decision<E>;
  /** Prepares the change in other streams once it is clear that it is accepted. Idempotent: a repeat calls it again. */
  readonly before?: (state: S, context: EventContext) => Promise<void>;
  /** Completes the change in other streams. Idempotent: a repeat calls it again. Resolves to the position of the last event there, or -1. */
  readonly after?: (state: S, context: EventContext) => Promise<number>;
  /** Default: the document of the changed resource. */
  readonly show?: Show<S>;
}
