import { Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { projectDisabled } from '@stave/domain';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '@stave/platform';
import { holderOf, holderOfToken, routeOf, wantedProject, type GatewayRequest } from '../http/call.js';
import { GivenTokens, type GivenToken } from '../identity/given-tokens.js';
import { AnswerLimits } from '../limits/answer-limits.js';
import { RequestLimits } from '../limits/request-limits.js';
import { sendProblem } from '../problems/problem.filter.js';
import { unauthenticated } from '../problems/refusals.js';
import type { Route } from '../routes/route.js';
import { Authenticator, bearerIn } from './authenticator.js';
import type { Credential } from './credential.js';
import { KeyUses } from './key-uses.js';
import { isClosed } from './permission.js';
import { actorWithoutProject, ProjectChoice } from './project-choice.js';

/** Orchestrators and monitoring must reach these however busy a client of the same address is. */
const unlimited: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Accepts a request when its client is within its rates and its role permits the route. The services check the project. */
@Injectable()
export class Admission {
  constructor(
    private readonly keys: Authenticator,
    private readonly tokens: GivenTokens,
    private readonly choice: ProjectChoice,
    private readonly limits: RequestLimits,
    private readonly answers: AnswerLimits,
    private readonly uses: KeyUses,
  ) {}

  /** Throws RefusedError: 429, 401, 403, 400, 404, 503; or the error of the messaging. */
  async admit(request: GatewayRequest): Promise<void> {
    const route = routeOf(request);
    const isLimited = !unlimited.has(route?.path ?? '');
    if (isLimited) this.limits.fromAddress(request.ip);
    if (!route || route.access === 'public') {
      if (isLimited) this.answers.requireRead(holderOf(request));
      return;
    }
    const { actor, isDisabled } = await this.credentialOf(request, route);
    request.refusedActor = actor;
    if (isDisabled && isClosed(route, actor)) throw new RefusedError(projectDisabled);
    request.actor = actor;
  }

  private async credentialOf(request: GatewayRequest, route: Route): Promise<Credential> {
    const token = this.tokens.in(request);
    if (token) return this.ofToken(request, route, token);
    const bearer = bearerIn(request.headers.authorization);
    const wanted = wantedProject(request);
    const known = bearer === undefined ? undefined : this.keys.known(bearer);
    const credential = known ?? (await this.verified(request, () => this.keyOf(bearer, request.id)));
    const { keyId } = credential.actor;
    this.requireRates(keyId);
    this.uses.note(keyId);
    request.refusedActor = credential.actor;
    return this.choice.ofKey(credential, wanted, route);
  }

  private async ofToken(request: GatewayRequest, route: Route, token: GivenToken): Promise<Credential> {
    const identity = token.known() ?? (await this.verified(request, token.authenticate));
    this.requireRates(holderOfToken(identity));
    request.refusedActor = actorWithoutProject(identity);
    if (route.method !== 'GET') token.requireOwnOrigin?.();
    return this.choice.ofToken(identity, wantedProject(request), route, actor => (request.refusedActor = actor));
  }

  private requireRates(holder: string): void {
    this.limits.withKey(holder);
    this.answers.requireRead(holder);
  }

  private async keyOf(bearer: string | undefined, correlationId: string): Promise<Credential> {
    if (bearer === undefined) throw unauthenticated();
    return this.keys.authenticate(bearer, correlationId);
  }

  /** Counts what is wrong against the address that sends it. */
  private async verified<T>({ headers, ip }: GatewayRequest, verify: () => Promise<T>): Promise<T> {
    this.limits.beforeVerification(ip);
    try {
      return await verify();
    } catch (error) {
      const isWrong = error instanceof RefusedError && error.error.kind === 'unauthenticated';
      const isGiven = [headers.authorization, headers['x-auth-token'], headers.cookie].some(
        value => value !== undefined,
      );
      if (isWrong && isGiven) this.limits.noteWrongKey(ip);
      throw error;
    }
  }
}

/** Admits each request before its body is read: a client without a key cannot make the gateway read or parse anything. */
export function admitRequests(fastify: FastifyInstance, admission: Admission, log: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const giveCookies = (): void => {
      const { cookies } = request as GatewayRequest;
      if (cookies) void reply.header('Set-Cookie', [...cookies]);
    };
    admission
      .admit(request)
      .finally(giveCookies)
      .then(
        () => done(),
        (error: unknown) => sendProblem(error, request, reply, log),
      );
  });
}
