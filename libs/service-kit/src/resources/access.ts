import { RefusedError, type Actor, type RequestMeta, type ServiceError } from '@stave/contracts';
import type { EventContext } from './new-events.js';
import { admissionOf } from '../plans/append-admission.js';

/** The project that everybody without one of their own works in: the administrator of the installation. */
export const DEFAULT_PROJECT = 'default';

/** Where what this request creates belongs. */
export const projectOf = (actor: Actor): string => actor.project ?? DEFAULT_PROJECT;

/** A document filter for what the actor may see. */
export const scopeOf = (actor: Actor): Readonly<Record<string, unknown>> =>
  actor.project === null ? {} : { projectId: actor.project };

export const mayTouch = (actor: Actor, projectId: string): boolean =>
  actor.project === null || actor.project === projectId;

export const refused = (error: ServiceError): never => {
  throw new RefusedError(error);
};

export const notFoundError = (what: string): ServiceError => ({
  code: 'not-found',
  kind: 'not-found',
  detail: `${what} does not exist`,
});

/** The refusal of an action that resources of a type do not have; `resources` names them in the plural. */
export const unknownAction = (resources: string, action: string): RefusedError =>
  new RefusedError({ code: 'unknown-action', kind: 'not-found', detail: `${resources} have no action ${action}` });

/** Metadata of the events that a request appends. */
export function requestContext(
  meta: RequestMeta,
  ids: { readonly operationId?: string; readonly requestId: string },
  project: string,
  clusterId?: string,
): EventContext {
  const admission = admissionOf(meta);
  return {
    correlationId: meta.correlationId,
    causationId: ids.requestId,
    actor: meta.actor.keyId,
    project,
    ...(ids.operationId === undefined ? {} : { operationId: ids.operationId }),
    ...(clusterId === undefined ? {} : { clusterId }),
    ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: meta.idempotencyKey }),
    ...(admission ? { admission } : {}),
  };
}
