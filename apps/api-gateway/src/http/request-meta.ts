import type { FieldProblem, RequestMeta } from '@stave/contracts';
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

/** Returns the texts of these headers in their order. Throws RefusedError (400) that names every malformed one. */
function checkedHeaders(request: GatewayRequest): (string | undefined)[] {
  const problems: FieldProblem[] = [];
  const texts = headers.map(([header, pointer, detail, isValid]) => {
    const value = request.headers[header]?.toString();
    if (value !== undefined && !isValid(value)) problems.push({ pointer, code: 'malformed-header', detail });
    return value;
  });
  if (problems.length > 0) throw invalid('malformed-header', problems);
  return texts;
}

/** Returns the metadata of a message to a service. Throws RefusedError (400) that names every malformed header. */
export function requestMeta(request: GatewayRequest, query: Values): RequestMeta {
  const { actor, id: correlationId, method } = request;
  if (!actor) throw unauthenticated();
  const [ifMatch = '*', idempotencyKey, position] = checkedHeaders(request);
  const { dryRun, planToken, minPosition } = query;
  const floor = position === undefined ? minPosition : Math.max(Number(position), Number(minPosition ?? 0));
  const reads = method === 'GET' || method === 'HEAD';
  return {
    correlationId,
    actor,
    ...(reads ? {} : { request: `${method} ${request.url}` }),
    ...(reads || idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(ifMatch === '*' ? {} : { ifMatch: Number(ifMatch.slice(1, -1)) }),
    ...(typeof floor === 'number' ? { minPosition: floor } : {}),
    ...(dryRun === true ? { dryRun } : {}),
    ...(typeof planToken === 'string' && dryRun !== true ? { planToken } : {}),
  };
}
