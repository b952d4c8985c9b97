import type { OperationRole, ResourceRef } from '@stave/driver-sdk';
import type { RequestMeta } from './envelope.js';

/** The body of `cluster.driver-operation`: asks what a path below `/v1/clusters/{id}/driver` is with this driver. */
export interface OperationQuestion {
  /** An id or a name. */
  readonly id: string;
  readonly method: string;
  readonly word: string;
  /** The text after the word, where there is one. */
  readonly rest?: string;
}

/** A driver operation that a request names, and where it is answered. */
export interface OperationRoute {
  readonly name: string;
  readonly role: OperationRole;
  readonly streaming: boolean;
  readonly deadlineMs: number;
  readonly maxAnswerBytes: number;
  /** Whether the cluster exists on its infrastructure. */
  readonly isBuilt: boolean;
  /** The parameter of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly driver: { readonly name: string; readonly version: string };
  readonly cluster: ResourceRef;
  /** The subject of the conductor; absent while no conductor serves the cluster. */
  readonly subject?: string;
}

/** The kind of a call by which it differs from those of the product. */
export const OPERATION_CALL = 'driver.operation';

/** The kind of a dry run of such a call. It is a kind of its own: a conductor of an earlier release refuses it and runs nothing. */
export const OPERATION_CHECK = 'driver.operation-check';

/** A request on `callSubject` for an operation of the driver itself, or for a dry run of one. */
export interface OperationCall extends Pick<OperationRoute, 'name' | 'driver' | 'cluster'> {
  readonly kind: typeof OPERATION_CALL | typeof OPERATION_CHECK;
  /** The texts of path and query. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Who asks, for the log. */
  readonly caller: Pick<RequestMeta, 'actor' | 'correlationId'>;
}

/** The answer to an operation call: the value, or where the lines of its pieces are requested, as those of a followed log. */
export type OperationReply = { readonly answer: unknown } | { readonly subject: string };
