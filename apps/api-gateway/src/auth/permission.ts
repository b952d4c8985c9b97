import { RefusedError, type Actor } from '@stave/contracts';
import { rankOf } from '../identity/token-roles.js';
import type { Access, Route } from '../routes/route.js';

function may(actor: Actor, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'operator') return actor.role === 'admin' && actor.project === null;
  return rankOf(actor.role) >= rankOf(access);
}

export const forbidden = (detail: string): RefusedError =>
  new RefusedError({ code: 'forbidden', kind: 'forbidden', detail });

/** Throws RefusedError `forbidden` (403) when the role of the actor does not permit the route. */
export function requireRole(actor: Actor, { access }: Pick<Route, 'access'>): void {
  if (may(actor, access)) return;
  const holder = actor.method === 'jwt' ? 'the requester' : 'the API key';
  throw forbidden(`this request requires the role ${access}; ${holder} has the role ${actor.role}`);
}
