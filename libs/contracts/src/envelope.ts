/** The actor of a request. `project` is null for the administrator of the installation, who sees every project. */
export interface Actor {
  /** The id of the API key, or the subject of the token of somebody who has signed in. */
  readonly keyId: string;
  /** The name of the API key or of the subject; absent for members of the ring. */
  readonly name?: string;
  readonly role: 'reader' | 'member' | 'admin';
  readonly project: string | null;
  /** The projects of a read by somebody who has several and has chosen none; `project` is empty then. */
  readonly projects?: readonly string[];
  /** How somebody has signed in; absent: with an API key. */
  readonly method?: 'jwt' | 'keystone' | 'cookie';
  /** The issuer of the token (the URL of a Keystone), whose subjects differ from those of others. */
  readonly issuer?: string;
}

/** The answer to the verification of an API key. */
export interface VerifiedKey extends Actor {
  /** When the key expires; null: never. */
  readonly expiresAt: string | null;
  /** Until when this secret of the key is valid; null: for ever. Not after `expiresAt`. */
  readonly validUntil: string | null;
  /** Which secret of the key it is: how often the key had been rotated when the secret was made. */
  readonly rotation: number;
  /** The project of the key is disabled: its administrators read, and nobody changes anything. */
  readonly isDisabled: boolean;
  /** A read with this `minPosition` shows the project of the key, whoever answers it. */
  readonly position: number;
}

/** When API keys were last used at a gateway, as it reports: ISO 8601 in UTC, by the key's id. */
export interface KeyUses {
  readonly uses: Readonly<Record<string, string>>;
}

/** The metadata of every request to a service. */
export interface RequestMeta {
  readonly correlationId: string;
  readonly actor: Actor;
  /** Method and path with query of the HTTP request, which an idempotency key identifies together with the body. */
  readonly request?: string;
  readonly idempotencyKey?: string;
  /** The revision of `If-Match`. */
  readonly ifMatch?: number;
  /** Requests a dry run: the command is not executed, and its plan is the answer. */
  readonly dryRun?: boolean;
  /** Executes the command only as it was planned. */
  readonly planToken?: string;
  /** Queries wait, for a limited time, until the read model has this position. */
  readonly minPosition?: number;
}

export interface ServiceRequest<B = unknown> {
  readonly meta: RequestMeta;
  readonly body: B;
  /** The span that sends the request (W3C Trace Context), where it is traced. */
  readonly traceparent?: string;
  /** The token of the conductor group that the subject of the message proves; what a message says itself is not believed. */
  readonly provenGroup?: string;
}

/**
 * Classifies errors for callers; the gateway maps each kind to one HTTP status. `invalid`: a value has the wrong shape. `rule`: the values
 * are well-formed, but violate a rule. `unauthenticated`, `forbidden`: the caller is unknown or lacks permission. `not-found`: there is no
 * such resource in the caller's projects. `conflict`: the state of the resource does not allow the command. `precondition`: `If-Match` or
 * the plan token does not match. `capacity`: resources are exhausted. `rate`: too many requests; retry later. `unsupported`: the driver lacks the capability. `unavailable`: a
 * dependency does not answer; retry later. `bad-answer`: a driver answers what it must not. `internal`: a defect.
 */
export type ErrorKind =
  | 'invalid'
  | 'rule'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'capacity'
  | 'rate'
  | 'unsupported'
  | 'unavailable'
  | 'bad-answer'
  | 'internal';

/** A problem of one member of the request. `pointer` is a JSON pointer (RFC 6901) into the body, or `?name` for a query parameter. */
export interface FieldProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

export interface ServiceError {
  /** A stable code in kebab-case, for example `name-taken`. */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly detail: string;
  readonly errors?: readonly FieldProblem[];
  readonly retryAfterMs?: number;
  /** Additional members for clients, for example candidates. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The answer of every service; `position` is that of the last event that the command appended. */
export type ServiceReply<D = unknown> =
  | { readonly ok: true; readonly data: D; readonly position?: number }
  | { readonly ok: false; readonly error: ServiceError };

/** The exception form of a ServiceError within a process. */
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

/** The answer to commands on resources: the resource as accepted, and the operation when one was started. */
export interface CommandResult {
  readonly resource: ResourceDocument;
  readonly operationId?: string;
  /** What was changed, where `resource` shows something else, such as the member of a project. */
  readonly target?: { readonly id: string; readonly projectId: string };
}

/** A parsed list request. The gateway has checked every field name against the readable fields of the type. */
export interface ListQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort?: readonly (readonly [string, 1 | -1])[];
  /** A filter in the document store's language, without the project. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** Fields that refer to other resources, by ids or names, which the service resolves. */
  readonly references?: Readonly<Record<string, readonly string[]>>;
  readonly total?: boolean;
}

export interface Page {
  readonly items: readonly ResourceDocument[];
  readonly nextCursor: string | null;
  readonly total?: number;
}
