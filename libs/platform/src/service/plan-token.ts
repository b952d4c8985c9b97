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

/** `<whole>.<diff>.<events>.<steps>`: the first is what counts, the others say where two plans differ. */
export function planToken(meta: RequestMeta, body: unknown, planned: Planned): string {
  const whole = digest([meta.actor.project, requestOf(meta), body, planned]).slice(0, WHOLE_LENGTH);
  return [whole, ...PARTS.map(part => digest(planned[part]).slice(0, PART_LENGTH))].join('.');
}

/** Why the plan with the one token is not that with the other. */
export function planStale(given: string, now: string): RefusedError {
  const [, ...then] = given.split('.');
  const [, ...parts] = now.split('.');
  const moved = PARTS.filter((_, i) => then[i] !== parts[i]);
  const names = { diff: 'the fields that would change', events: 'its events', steps: 'its steps' };
  const what =
    moved.length > 0
      ? `what it was made of has changed since: other than planned are ${moved.map(part => names[part]).join(', ')}`
      : 'it is the plan of another request';
  const error: ServiceError = {
    code: 'plan-stale',
    kind: 'conflict',
    detail: `the plan does not hold any more: ${what}`,
    extra: { moved },
  };
  return new RefusedError(error);
}

/** Why nobody can be held to a plan. */
export const planUnsettled = (why: string): RefusedError =>
  new RefusedError({ code: 'plan-unsettled', kind: 'conflict', detail: `the plan cannot be relied on: ${why}` });
