import type { DriverContext } from './context.js';
import type { ResourceRef } from './specs.js';

/** The methods of driver operations. Those with a body are POST, PUT and PATCH. */
export const operationMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type OperationMethod = (typeof operationMethods)[number];

/** The role in the project of the cluster that a caller needs. */
export const operationRoles = ['reader', 'member', 'admin'] as const;
export type OperationRole = (typeof operationRoles)[number];

/** The limits of an operation that names none. */
export const operationDefaults = { deadlineSeconds: 10, maxAnswerBytes: 262_144 } as const;

type JsonSchema = Readonly<Record<string, unknown>>;

/** An operation that a driver offers below `/v1/clusters/{id}/driver`, as its manifest declares it. */
export interface DriverOperation {
  /** Unique among the operations of the driver; the member of `Driver.api` that answers it. */
  readonly name: string;
  readonly method: OperationMethod;
  /** `/word` or `/word/{parameter}`. */
  readonly path: string;
  readonly role: OperationRole;
  /** A closed schema of type object: the parameters of path and query, each text, a number or a boolean. Default: none. */
  readonly parameters?: JsonSchema;
  /** A closed schema of type object: the body. Absent: the operation has none. */
  readonly request?: JsonSchema;
  /** The schema of the answer, or of each piece where it streams. Absent: any. */
  readonly answer?: JsonSchema | boolean;
  /** Whether the answer is a sequence of pieces. Default: false. */
  readonly streaming?: boolean;
  /** How long the answer, or the first piece of it, may take. Default: 10, at most 60. */
  readonly deadlineSeconds?: number;
  /** The longest answer, or piece of it, as JSON in UTF-8. Default: 262,144. */
  readonly maxAnswerBytes?: number;
}

/** A call of a driver operation. Its parts have passed the schemas of the manifest. */
export interface OperationRequest {
  readonly cluster: ResourceRef;
  /** Those of path and query in one object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Undefined for an operation without body. */
  readonly body: unknown;
}

/**
 * Answers a driver operation: a JSON value, or an AsyncIterable of them where the operation streams, which is read only as fast as its
 * reader. Throws DriverError; its class decides the status of the answer, and its `code` is the problem's. `ctx.checkpoint` is called before
 * every change, as in tasks; it refuses changes in a GET. The signal fires at the deadline and when the caller has gone.
 */
export type OperationHandler = (
  ctx: DriverContext,
  request: OperationRequest,
) => Promise<unknown> | AsyncIterable<unknown>;

/** The operations of a driver by name; present when the manifest declares the capability `api`. */
export type DriverApi = Readonly<Record<string, OperationHandler>>;
