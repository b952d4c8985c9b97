/** Who asks. `project` is null for the administrator of the installation, who sees every project. */
export interface Actor {
  readonly keyId: string;
  readonly role: 'reader' | 'member' | 'admin';
  readonly project: string | null;
}

/** Travels with every request to a service. */
export interface RequestMeta {
  readonly correlationId: string;
  readonly actor: Actor;
  /** Method and path with query of the HTTP request: a part of what an idempotency key stands for. */
  readonly request?: string;
  readonly idempotencyKey?: string;
  /** The revision that `If-Match` asked for. */
  readonly ifMatch?: number;
  /** A change is not done: its plan is the answer. */
  readonly dryRun?: boolean;
  /** A change is done only as it was planned. */
  readonly planToken?: string;
  /** Queries wait (bounded) until the read model has seen this position. */
  readonly minPosition?: number;
}

export interface ServiceRequest<B = unknown> {
  readonly meta: RequestMeta;
  readonly body: B;
}

export type ErrorKind =
  | 'invalid'
  | 'rule'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'capacity'
  | 'unsupported'
  | 'unavailable'
  | 'internal';

/** One problem with one member of the request; `pointer` is a JSON pointer (RFC 6901) into the body, or `?name` for a query parameter. */
export interface FieldProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface ServiceError {
  /** Stable, kebab-case, e.g. `name-taken`. */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly detail: string;
  readonly errors?: readonly FieldProblem[];
  readonly retryAfterMs?: number;
  /** What a client can use: candidates, what is served ... */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Every service answers with this; `position` is that of the last event that the command appended. */
export type ServiceReply<D = unknown> =
  | { readonly ok: true; readonly data: D; readonly position?: number }
  | { readonly ok: false; readonly error: ServiceError };

/** The exception form of a ServiceError, inside a process. */
export class RefusedError extends Error {
  constructor(readonly error: ServiceError) {
    super(`${error.code}: ${error.detail}`);
    this.name = 'RefusedError';
  }
}

/** A resource as clients see it. `revision` is its ETag. */
export interface ResourceDocument {
  readonly id: string;
  readonly name: string;
  readonly projectId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
  readonly [field: string]: unknown;
}

/** What commands on resources answer: the resource as accepted, and the operation where work was started. */
export interface CommandResult {
  readonly resource: ResourceDocument;
  readonly operationId?: string;
}

/** A list request, already parsed: every field name was checked by the gateway against the type's readable fields. */
export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort?: readonly (readonly [string, 1 | -1])[];
  /** Document filter in the document store's language, without the project. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** Fields that name other resources, with what they may be: ids or names. The service resolves them. */
  readonly references?: Readonly<Record<string, readonly string[]>>;
  readonly total?: boolean;
}

export interface Page {
  readonly items: readonly ResourceDocument[];
  readonly nextCursor: string | null;
  readonly total?: number;
}
