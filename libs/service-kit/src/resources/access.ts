import { RefusedError, type Actor, type RequestMeta } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import type { EventContext } from './new-events.js';
import { admissionOf } from '../plans/append-admission.js';

/** The project of requesters without their own: of the administrator of the installation. */
export const DEFAULT_PROJECT = 'default';

export const projectOf = (actor: Actor): string => actor.project ?? DEFAULT_PROJECT;

/** Returns a document filter for the resources that the actor may see. */
export const scopeOf = ({ project, projects }: Actor): Readonly<Record<string, unknown>> => {
  if (projects) return { projectId: { $in: [...projects] } };
  return project === null ? {} : { projectId: project };
};

/** Returns the only project that the actor may see, where there is one: reads of the past fold no other. */
export const onlyProjectOf = ({ project, projects }: Actor): { readonly projectId?: string } =>
  project === null || projects ? {} : { projectId: project };

/** Returns the projects that the actor may see; null: all. */
export const projectsOf = ({ project, projects }: Actor): readonly string[] | null =>
  projects ?? (project === null ? null : [project]);

export const mayTouch = ({ project, projects }: Actor, projectId: string): boolean =>
  project === null || (projects ? projects.includes(projectId) : project === projectId);

/** Returns the projects in which names of the actor are looked up. */
export const namingProjectsOf = (actor: Actor): readonly string[] => actor.projects ?? [projectOf(actor)];

/** The refusal of an action that resources of a type do not have; `resources` names them in the plural. */
export const unknownAction = (resources: string, action: string): RefusedError =>
  new RefusedError({ code: 'unknown-action', kind: 'not-found', detail: `${resources} have no action ${action}` });

type ActorMember = 'actor' | 'actorName' | 'actorMethod' | 'actorIssuer';

/** Returns the actor of a request as its events name it. */
export const actorOf = ({ keyId, name, method, issuer }: Actor): Pick<EventContext, ActorMember> => ({
  actor: keyId,
  ...omitUndefined({ actorName: name, actorMethod: method, actorIssuer: issuer }),
});

/** Returns the metadata of the events that a request appends. */
export function requestContext(
  meta: RequestMeta,
  ids: { readonly operationId?: string; readonly requestId: string },
  project: string,
  clusterId?: string,
): EventContext {
  const { correlationId, actor, idempotencyKey } = meta;
  const { operationId, requestId: causationId } = ids;
  const optional = omitUndefined({ operationId, clusterId, idempotencyKey, admission: admissionOf(meta) });
  return { correlationId, causationId, ...actorOf(actor), project, ...optional };
}

interface Resizing {
  readonly count?: number;
  readonly change?: number | string;
}

/** Throws RefusedError `invalid` unless exactly one of `count` and `change` is given. */
export function requireCountOrChange({ count, change }: Resizing): void {
  const areBoth = count !== undefined && change !== undefined;
  if (!areBoth && (count !== undefined || change !== undefined)) return;
  const detail = areBoth ? 'count and change exclude each other' : 'count or change is required';
  const code = areBoth ? 'not-allowed' : 'required';
  const pointers = areBoth ? ['/change'] : ['/count', '/change'];
  const errors = pointers.map(pointer => ({ pointer, code, detail }));
  throw new RefusedError({ code, kind: 'invalid', detail, errors });
}
