import { randomUUID } from 'node:crypto';
import { mayBeKey, type Actor, type AuditEntry } from '@stave/contracts';
import { subject } from '@stave/contracts/schemas';
import { omitUndefined } from '@stave/domain';
import { createAjv } from '@stave/service-kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isMembers } from '../http/members.js';
import { routeOf, type GatewayRequest } from '../http/call.js';
import { camelCase } from '../routes/resource.routes.js';
import { paramNames, type Route } from '../routes/route.js';
import type { AuditLog } from './audit-log.js';
import type { NamedProjects } from './named-projects.js';

/** What of a request and its answer an entry is made of. */
interface Audited {
  readonly route: Route;
  readonly request: GatewayRequest;
  readonly status: number;
}

const isSubject = createAjv(false).compile(subject);

/** Changes only: neither reads nor plans, nor questions that are sent with a body. */
function isChange({ method, access, dispatch }: Route, { query }: GatewayRequest): boolean {
  if (method === 'GET' || access === 'public' || dispatch?.verb === 'backtest') return false;
  return !isMembers(query) || String(query['dryRun']) !== 'true';
}

/** A path can have anything, a secret too: a refused request shows only what can be an id or a name. */
const isReference = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/.test(text) && !(text.startsWith('stv_') && mayBeKey(text));

const isMember = ({ dispatch }: Route): boolean =>
  dispatch?.resource === 'project' && (dispatch.verb === 'attach' || dispatch.verb === 'detach');

/** The type that the path names: of the resource, of what something is attached to, or of what something would be created below. */
function typeOf({ dispatch, tag }: Route, isCreated: boolean): string {
  const attachedTo = dispatch?.fixed?.['targetType'];
  const isBelow = dispatch === undefined || (dispatch.verb === 'create' && !isCreated);
  return attachedTo ?? camelCase(isBelow ? tag.replace(/s$/, '') : dispatch.resource);
}

function targetOf({ route, request, status }: Audited): AuditEntry['target'] {
  const { changed } = request;
  const params = isMembers(request.params) ? request.params : {};
  const [first = ''] = paramNames(route.path);
  const id = changed?.id ?? String(params['id'] ?? params[first] ?? '');
  if (id === '' || (status >= 400 && !isReference(id))) return undefined;
  if (!isMember(route)) return { type: typeOf(route, changed?.id !== undefined), id };
  const of = String(params['subject']);
  return isSubject(of) ? { type: 'projectMember', id: `${id}/${of}` } : undefined;
}

const isOfTarget = ({ projects, project, role }: Actor): boolean =>
  projects !== undefined || (project === null && role === 'admin');

function entryOf(audited: Audited): AuditEntry | undefined {
  const { route, request, status } = audited;
  const actor = request.actor ?? request.refusedActor;
  if (!actor) return undefined;
  const { keyId, name, method = 'api-key', project } = actor;
  const target = targetOf(audited);
  return {
    id: randomUUID(),
    time: new Date().toISOString(),
    subject: keyId,
    method,
    from: request.ip,
    operation: route.id,
    projectId: (isOfTarget(actor) ? request.changed?.projectId : project) || null,
    outcome: status < 400 ? 'accepted' : 'refused',
    status,
    correlationId: request.id,
    ...omitUndefined({ name, target, code: request.refusal, keyId: method === 'api-key' ? keyId : undefined }),
  };
}

/** Adds each change of a known requester to the audit when it has been answered. */
export function auditRequests(fastify: FastifyInstance, log: AuditLog, projects: NamedProjects): void {
  fastify.addHook('onResponse', (request: GatewayRequest, { statusCode: status }: FastifyReply, done) => {
    const route = routeOf(request);
    const entry = route && isChange(route, request) ? entryOf({ route, request, status }) : undefined;
    const actor = request.actor ?? request.refusedActor;
    if (entry?.outcome === 'refused' && route && actor && isOfTarget(actor))
      log.addLater(projects.of(actor, route, request).then(projectId => ({ ...entry, projectId })));
    else if (entry) log.add(entry);
    done();
  });
}
