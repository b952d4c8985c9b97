import { RefusedError, type FieldProblem, type RequestMeta } from '@stave/contracts';
import type { GatewayRequest } from './call.js';

const malformed = (header: string, detail: string): FieldProblem => ({
  pointer: header,
  code: 'malformed-header',
  detail,
});

function one(request: GatewayRequest, header: string): string | undefined {
  const value = request.headers[header];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Parses `"<revision>"`; `*` requires only that the resource exists. */
function ifMatchOf(value: string | undefined, problems: FieldProblem[]): number | undefined {
  if (value === undefined || value.trim() === '*') return undefined;
  const revision = /^"([0-9]{1,15})"$/.exec(value.trim())?.[1];
  if (revision !== undefined) return Number(revision);
  problems.push(malformed('If-Match', 'must be "<revision>", in quotes, or *'));
  return undefined;
}

function idempotencyKeyOf(value: string | undefined, problems: FieldProblem[]): string | undefined {
  if (value === undefined || /^[\x20-\x7e]{1,255}$/.test(value)) return value;
  problems.push(malformed('Idempotency-Key', 'must be 1 to 255 printable characters'));
  return undefined;
}

function minPositionOf(value: string | undefined, problems: FieldProblem[]): number | undefined {
  if (value === undefined) return undefined;
  const position = Number(value);
  if (/^[0-9]+$/.test(value) && Number.isSafeInteger(position)) return position;
  problems.push(malformed('Stave-Min-Position', 'must be a position of the event log, a whole number'));
  return undefined;
}

/** Returns the metadata of a message to a service. Throws RefusedError (400) that names every malformed header. */
export function requestMeta(request: GatewayRequest, query: Readonly<Record<string, unknown>>): RequestMeta {
  const { actor, correlationId = '' } = request;
  if (!actor)
    throw new RefusedError({ code: 'unauthenticated', kind: 'unauthenticated', detail: 'a valid API key is required' });
  const problems: FieldProblem[] = [];
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const ifMatch = ifMatchOf(one(request, 'if-match'), problems);
  const idempotencyKey = idempotencyKeyOf(one(request, 'idempotency-key'), problems);
  const header = minPositionOf(one(request, 'stave-min-position'), problems);
  const asked = query['minPosition'];
  const { dryRun, planToken } = query;
  const minPosition = typeof asked === 'number' ? Math.max(asked, header ?? 0) : header;
  const [first] = problems;
  if (first)
    throw new RefusedError({
      code: 'malformed-header',
      kind: 'invalid',
      detail: `${first.pointer} ${first.detail}`,
      errors: problems,
    });
  return {
    correlationId,
    actor,
    ...(reads ? {} : { request: `${request.method} ${request.url}` }),
    ...(idempotencyKey === undefined || reads ? {} : { idempotencyKey }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(minPosition === undefined ? {} : { minPosition }),
    ...(dryRun === true ? { dryRun } : {}),
    ...(typeof planToken === 'string' && dryRun !== true ? { planToken } : {}),
  };
}
