import { randomUUID } from 'node:crypto';
import { mayBeKey, type AuditEntry } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isMembers } from '../http/members.js';
import { routeOf, type GatewayRequest } from '../http/call.js';
import { camelCase } from '../routes/resource.routes.js';
import { paramNames, type Route } from '../routes/route.js';
import type { AuditLog } from './audit-log.js';

/** What of a request and its answer an entry is made of. */
interface Audited {
  readonly route: Route;
  readonly request: GatewayRequest;
  readonly status: number;
}

/** Changes only: neither reads nor plans, nor questions that are sent with a body. */
function isChange({ method, access, dispatch }: Route, { query }: GatewayRequest): boolean {
  if (method === 'GET' || access === 'public' || dispatch?.verb === 'backtest') return false;
  return !isMembers(query) || String(query['dryRun']) !== 'true';
}

/** The type that the path names: of the resource, or of the collection. */
const typeOf = ({ dispatch, tag }: Route): string => camelCase(dispatch?.resource ?? tag.replace(/s$/, ''));

/** A path can have anything, a secret too: a refused request shows only what can be an id or a name. */
const isReference = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/.test(text) && !(text.startsWith('stv_') && mayBeKey(text));

function targetOf({ route, request, status }: Audited): AuditEntry['target'] {
  const params = isMembers(request.params) ? request.params : {};
  const [first = ''] = paramNames(route.path);
  const named = String(params[first] ?? '');
  const isOwn = ['create', 'patch', 'action'].includes(route.dispatch?.verb ?? '');
  const id = (isOwn ? request.answered?.id : undefined) ?? named;
  if (id === '' || (status >= 400 && !isReference(id))) return undefined;
  return { type: typeOf(route), id };
}

function entryOf(audited: Audited): AuditEntry | undefined {
  const { route, request, status } = audited;
  const actor = request.actor ?? request.refusedActor;
  if (!actor) return undefined;
  const { keyId, name, method = 'api-key', project } = actor;
  const isOfTarget = actor.projects !== undefined || (project === null && actor.role === 'admin');
  const target = targetOf(audited);
  return {
    id: randomUUID(),
    time: new Date().toISOString(),
    subject: keyId,
    method,
    from: request.ip,
    operation: route.id,
    projectId: (isOfTarget ? request.answered?.projectId : project) || null,
    outcome: status < 400 ? 'accepted' : 'refused',
    status,
    correlationId: request.id,
    ...omitUndefined({ name, target, code: request.refusal, keyId: method === 'api-key' ? keyId : undefined }),
  };
}

/** Adds each change of a known requester to the audit when it has been answered. */
export function auditRequests(fastify: FastifyInstance, log: AuditLog): void {
  fastify.addHook('onResponse', (request: GatewayRequest, { statusCode: status }: FastifyReply, done) => {
    const route = routeOf(request);
    const entry = route && isChange(route, request) ? entryOf({ route, request, status }) : undefined;
    if (entry) log.add(entry);
    done();
  });
}
