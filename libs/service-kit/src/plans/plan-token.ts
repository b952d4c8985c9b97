import { createHash } from 'node:crypto';
import { RefusedError, type RequestMeta, type ServiceError } from '@stave/contracts';
import type { Plan } from '@stave/domain';

/** What a plan says, and of which revisions it was made. */
export type Planned = Omit<Plan, 'planToken'>;

const PARTS = ['diff', 'events', 'steps'] as const;
const PART_LENGTH = 8;
const WHOLE_LENGTH = 22;

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Method, path and query as the client gave them, but for what asks for the plan or for its execution. */
function requestOf({ request = '' }: RequestMeta): string {
  const [target = '', query = ''] = request.split('?', 2);
  const rest = query.split('&').filter(one => one !== '' && !/^(?:dryRun|planToken)(?:=|$)/.test(one));
  return `${target}?${rest.sort().join('&')}`;
}

/** `<whole>.<request>.<diff>.<events>.<steps>`: the first is what counts, the others say where two plans differ. */
const TOKEN = /^[\w-]{22}(?:\.[\w-]{8}){4}$/;

/** `times`: how often the same was done before, where that does not show in the plan. */
export function planToken(meta: RequestMeta, body: unknown, planned: Planned, times = 0): string {
  const request = [meta.actor.project, requestOf(meta), body];
  const whole = digest([...request, planned, times]).slice(0, WHOLE_LENGTH);
  const parts = [request, ...PARTS.map(part => planned[part])];
  return [whole, ...parts.map(part => digest(part).slice(0, PART_LENGTH))].join('.');
}

const stale = (what: string, moved: readonly string[] = []): RefusedError => {
  const detail = `the plan does not hold: ${what}`;
  const error: ServiceError = { code: 'plan-stale', kind: 'conflict', detail, extra: { moved } };
  return new RefusedError(error);
};

export const planSpent = (): RefusedError => stale('it was executed already');

/** Why the plan with the one token is not that with the other; `times` as there. */
export function planStale(given: string, now: string, times = 0): RefusedError {
  if (!TOKEN.test(given)) return stale('this is not the token of a plan');
  const [, request, ...then] = given.split('.');
  const [, thisRequest, ...parts] = now.split('.');
  if (request !== thisRequest) return stale('it is the plan of another request (method, path, query, body or project)');
  const moved = PARTS.filter((_, i) => then[i] !== parts[i]);
  const names = { diff: 'the fields that would change', events: 'its events', steps: 'its steps' };
  const since = 'what it was made of has changed since';
  if (moved.length > 0)
    return stale(`${since}: other than planned are ${moved.map(part => names[part]).join(', ')}`, moved);
  return times > 0 ? planSpent() : stale(since);
}

/** Why nobody can be held to a plan. */
export const planUnsettled = (why: string): RefusedError =>
  new RefusedError({ code: 'plan-unsettled', kind: 'conflict', detail: `the plan cannot be relied on: ${why}` });
