import { createHash } from 'node:crypto';
import { RefusedError, type RequestMeta, type ServiceRequest } from '@stave/contracts';
import type { Plan } from '@stave/domain';
import { v7 as uuidv7 } from 'uuid';
import { PlannedValues } from './request-values.js';

export type PlanContent = Omit<Plan, 'planToken'>;

const PARTS = ['diff', 'events', 'steps'] as const;
const PART_LENGTH = 8;
const DIGEST_LENGTH = 22;
/** `<plan id>.<digest of all>.<request>.<diff>.<events>.<steps>`: the last four show where two plans differ. */
const TOKEN = /^[0-9a-f]{12}[\w-]{16}\.[\w-]{22}(?:\.[\w-]{8}){4}$/;
const TIME_DIGITS = 12;

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Method, path and query of the client, without the parameters that ask for the plan or for its execution. */
function targetOf({ request = '' }: RequestMeta): string {
  const [target = '', query = ''] = request.split('?', 2);
  const rest = query.split('&').filter(one => one !== '' && !/^(?:dryRun|planToken)(?:=|$)/.test(one));
  return `${target}?${rest.sort().join('&')}`;
}

const requestOf = ({ meta, body }: ServiceRequest): readonly unknown[] => [meta.actor.project, targetOf(meta), body];

/** Returns the id of a new plan: its time in milliseconds, then random characters. */
export function newPlanId(): string {
  const id = uuidv7().replaceAll('-', '');
  return `${id.slice(0, TIME_DIGITS)}${id.slice(-16)}`;
}

export const plannedValues = (request: ServiceRequest, planId: string): PlannedValues =>
  new PlannedValues(digest([...requestOf(request), planId]), Number.parseInt(planId.slice(0, TIME_DIGITS), 16));

export function planToken(planId: string, request: ServiceRequest, plan: PlanContent): string {
  const asked = requestOf(request);
  const all = digest([...asked, planId, plan]).slice(0, DIGEST_LENGTH);
  const parts = [asked, ...PARTS.map(part => plan[part])];
  return [planId, all, ...parts.map(part => digest(part).slice(0, PART_LENGTH))].join('.');
}

/** The refusal of a plan that does not hold; `changed`: the parts of the plan that are other than planned. */
export const planStale = (reason: string, changed: readonly string[] = []): RefusedError =>
  new RefusedError({
    code: 'plan-stale',
    kind: 'conflict',
    detail: `the plan does not hold: ${reason}`,
    extra: { changed },
  });

/** Returns the plan id of a token. Throws RefusedError `plan-stale` for anything else. */
export function planIdOf(token: string): string {
  if (!TOKEN.test(token)) throw planStale('this is not the token of a plan');
  return token.slice(0, token.indexOf('.'));
}

/** Throws RefusedError `plan-stale`, with what differs, unless both are the token of the same plan. */
export function requireSamePlan(given: string, current: string): void {
  if (given === current) return;
  const [, , request, ...then] = given.split('.');
  const [, , currentRequest, ...now] = current.split('.');
  if (request !== currentRequest)
    throw planStale('it is the plan of another request (method, path, query, body or project)');
  const changed = PARTS.filter((_, i) => then[i] !== now[i]);
  const names = { diff: 'the fields that would change', events: 'its events', steps: 'its steps' };
  const reason = 'the resources that it was computed from have changed';
  if (changed.length === 0) throw planStale(reason);
  throw planStale(`${reason}: other than planned are ${changed.map(part => names[part]).join(', ')}`, changed);
}

export const planUnsettled = (why: string): RefusedError =>
  new RefusedError({ code: 'plan-unsettled', kind: 'conflict', detail: `the plan cannot be relied on: ${why}` });
