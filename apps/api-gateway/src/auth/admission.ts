import { Injectable } from '@nestjs/common';
import { RefusedError, type Actor } from '@stave/contracts';
import { projectDisabled } from '@stave/domain';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '@stave/platform';
import { holderOf, routeOf, type GatewayRequest } from '../http/call.js';
import { AnswerLimits } from '../limits/answer-limits.js';
import { RequestLimits } from '../limits/request-limits.js';
import { sendProblem } from '../problems/problem.filter.js';
import { whoamiRoute } from '../routes/access.routes.js';
import type { Access, Route } from '../routes/route.js';
import { Authenticator } from './authenticator.js';
import type { Credential } from './credential.js';
import { KeyUses } from './key-uses.js';

const rank = { reader: 1, member: 2, admin: 3 } as const;
/** Orchestrators and monitoring must reach these however busy a client of the same address is. */
const unlimited: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

function may(actor: Actor, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'operator') return actor.role === 'admin' && actor.project === null;
  return rank[actor.role] >= rank[access];
}

/** Whether a route is closed to an actor whose project is disabled: its administrators read, and everybody is still shown who they are. */
const isClosed = ({ id, method }: Route, { role }: Actor): boolean =>
  id !== whoamiRoute.id && (method !== 'GET' || role !== 'admin');

/** Accepts a request when its client is within its rates and the role of its key permits the route. The services check the project. */
@Injectable()
export class Admission {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RequestLimits,
    private readonly answers: AnswerLimits,
    private readonly uses: KeyUses,
  ) {}

  /** Throws RefusedError: 429, 401, 403, 503; or the error of the messaging. */
  async admit(request: GatewayRequest): Promise<void> {
    const route = routeOf(request);
    const isLimited = !unlimited.has(route?.path ?? '');
    if (isLimited) this.limits.fromAddress(request.ip);
    if (!route || route.access === 'public') {
      if (isLimited) this.answers.requireRead(holderOf(request));
      return;
    }
    const { actor, isDisabled } = await this.credentialOf(request);
    this.limits.withKey(actor.keyId);
    this.answers.requireRead(actor.keyId);
    this.uses.note(actor.keyId);
    const detail = `this request requires the role ${route.access}; the API key has the role ${actor.role}`;
    if (!may(actor, route.access)) throw new RefusedError({ code: 'forbidden', kind: 'forbidden', detail });
    if (isDisabled && isClosed(route, actor)) throw new RefusedError(projectDisabled);
    request.actor = actor;
  }

  private async credentialOf({ headers, id, ip }: GatewayRequest): Promise<Credential> {
    const known = this.authenticator.known(headers.authorization);
    if (known) return known;
    this.limits.beforeVerification(ip);
    try {
      return await this.authenticator.authenticate(headers.authorization, id);
    } catch (error) {
      const isWrong = error instanceof RefusedError && error.error.kind === 'unauthenticated';
      if (isWrong && headers.authorization !== undefined) this.limits.noteWrongKey(ip);
      throw error;
    }
  }
}

/** Admits each request before its body is read: a client without a key cannot make the gateway read or parse anything. */
export function admitRequests(fastify: FastifyInstance, admission: Admission, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    admission.admit(request).then(
      () => done(),
      (error: unknown) => sendProblem(error, request, reply, log),
    );
  });
}
