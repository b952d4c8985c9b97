import type { FieldProblem, RequestMeta } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { invalid, unauthenticated } from '../problems/refusals.js';
import type { GatewayRequest, Values } from './call.js';

const isPosition = (text: string): boolean => /^[0-9]+$/.test(text) && Number.isSafeInteger(Number(text));

/** The headers of a request that its service must know, with their rules. */
const headers = [
  ['If-Match', 'must be "<revision>", in quotes, or *', (text: string) => /^(?:\*|"[0-9]{1,15}")$/.test(text)],
  ['Idempotency-Key', 'must be 1 to 255 printable characters', (text: string) => /^[\x20-\x7e]{1,255}$/.test(text)],
  ['Stave-Min-Position', 'must be a position of the event log, a whole number', isPosition],
] as const;

/** Returns the texts of these headers in their order. Throws RefusedError (400) that names every malformed one. */
function checkedHeaders(request: GatewayRequest): (string | undefined)[] {
  const problems: FieldProblem[] = [];
  const texts = headers.map(([pointer, detail, isValid]) => {
    const value = request.headers[pointer.toLowerCase()]?.toString().trim();
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
  const positions = [position, minPosition].flatMap(given => (given === undefined ? [] : [Number(given)]));
  const reads = method === 'GET' || method === 'HEAD';
  return {
    correlationId,
    actor,
    ...omitUndefined({
      request: reads ? undefined : `${method} ${request.url}`,
      idempotencyKey: reads ? undefined : idempotencyKey,
      ifMatch: ifMatch === '*' ? undefined : Number(ifMatch.slice(1, -1)),
      minPosition: positions.length > 0 ? Math.max(...positions) : undefined,
      dryRun: dryRun === true ? dryRun : undefined,
      planToken: typeof planToken === 'string' && dryRun !== true ? planToken : undefined,
    }),
  };
}
