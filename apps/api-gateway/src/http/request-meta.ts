import { RefusedError, type FieldProblem, type RequestMeta } from '@stave/contracts';
import { takesIfMatch, type Route } from '../routes/route.js';
import { invalid, unauthenticated } from '../problems/refusals.js';
import type { GatewayRequest, Values } from './call.js';

const isRevision = (text: string): boolean => /^(?:\*|"[0-9]{1,15}")$/.test(text);
const isKey = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text);
const isPosition = (text: string): boolean => /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text));

const headers = [
  ['if-match', 'If-Match', 'must be "<revision>", in quotes, or *', isRevision],
  ['idempotency-key', 'Idempotency-Key', 'must be 1 to 255 printable characters', isKey],
  ['stave-min-position', 'Stave-Min-Position', 'must be a position of the event log, a whole number', isPosition],
] as const;

const isRead = ({ method }: Route): boolean => method === 'GET';
const isCreation = ({ dispatch }: Route): boolean => dispatch?.verb === 'create';

/** Returns a problem for each header that would be ignored. Reads are complete whatever `If-None-Match` says: their tags do not count progress. */
function unusedHeaders(route: Route, { headers: given }: GatewayRequest): FieldProblem[] {
  const unused: [pointer: string, detail: string][] = [];
  if (given['if-match'] !== undefined && !takesIfMatch(route) && !isCreation(route))
    unused.push(['If-Match', 'has no effect on this request']);
  if (given['idempotency-key'] !== undefined && isRead(route))
    unused.push(['Idempotency-Key', 'has no effect on a read, which can be repeated anyway']);
  if (given['if-none-match'] !== undefined && !isRead(route))
    unused.push(['If-None-Match', 'is not supported; a creation never replaces what exists']);
  return unused.map(([pointer, detail]) => ({ pointer, code: 'header-without-effect', detail }));
}

/**
 * Returns the texts of these headers in their order. Throws RefusedError: 400 that names every malformed one and every one without effect,
 * 412 for `If-Match` of a creation.
 */
function checkedHeaders(route: Route, request: GatewayRequest): (string | undefined)[] {
  const problems = unusedHeaders(route, request);
  const named = new Set(problems.map(({ pointer }) => pointer));
  const texts = headers.map(([header, pointer, detail, isValid]) => {
    const value = request.headers[header]?.toString();
    if (value !== undefined && !named.has(pointer) && !isValid(value))
      problems.push({ pointer, code: 'malformed-header', detail });
    return value;
  });
  if (problems.length > 0) throw invalid(problems[0]?.code ?? '', problems);
  if (texts[0] !== undefined && isCreation(route)) throw nothingToMatch;
  return texts;
}

const nothingToMatch = new RefusedError({
  code: 'nothing-to-match',
  kind: 'precondition',
  detail: 'If-Match requires a resource that exists; this request creates one',
});

/** Returns the metadata of a message to a service. Throws RefusedError: 400 that names every wrong header, 412. */
export function requestMeta(route: Route, request: GatewayRequest, query: Values): RequestMeta {
  const { actor, id: correlationId, method } = request;
  if (!actor) throw unauthenticated();
  const [ifMatch = '*', idempotencyKey, position] = checkedHeaders(route, request);
  const { dryRun, planToken, minPosition } = query;
  const floor = position === undefined ? minPosition : Math.max(Number(position), Number(minPosition ?? 0));
  return {
    correlationId,
    actor,
    ...(isRead(route) ? {} : { request: `${method} ${request.url}` }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(ifMatch === '*' ? {} : { ifMatch: Number(ifMatch.slice(1, -1)) }),
    ...(typeof floor === 'number' ? { minPosition: floor } : {}),
    ...(dryRun === true ? { dryRun } : {}),
    ...(typeof planToken === 'string' && dryRun !== true ? { planToken } : {}),
  };
}
