import { RefusedError, type Actor } from '@stave/contracts';
import { rankOf } from '../identity/token-roles.js';
import { whoamiRoute } from '../routes/access.routes.js';
import type { Access, Route } from '../routes/route.js';

function may(actor: Actor, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'operator') return actor.role === 'admin' && actor.project === null;
  return rankOf(actor.role) >= rankOf(access);
}

/** Whether a route is closed to an actor whose project is disabled: its administrators read, and everybody is still shown who they are. */
export const isClosed = ({ id, method }: Pick<Route, 'id' | 'method'>, { role }: Pick<Actor, 'role'>): boolean =>
  id !== whoamiRoute.id && (method !== 'GET' || role !== 'admin');

export const forbidden = (detail: string): RefusedError =>
  new RefusedError({ code: 'forbidden', kind: 'forbidden', detail });

export const permits = (role: Actor['role'], { access }: Pick<Route, 'access'>): boolean =>
  may({ keyId: '', role, project: '' }, access);

/** Throws RefusedError `forbidden` (403) when the role of the actor does not permit the route. */
export function requireRole(actor: Actor, { access }: Pick<Route, 'access'>): void {
  if (may(actor, access)) return;
  const holder = actor.method !== undefined ? 'the requester' : 'the API key';
  throw forbidden(`this request requires the role ${access}; ${holder} has the role ${actor.role}`);
}
