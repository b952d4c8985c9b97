import { Controller, Inject, type OnModuleDestroy } from '@nestjs/common';
import {
  OPERATION_CALL,
  OPERATION_CHECK,
  RefusedError,
  type OperationCall,
  type OperationRoute,
} from '@stave/contracts';
import { ask } from '@stave/service-kit';
import { NoRespondersError, RequestTimeoutError, type Messaging } from '@stave/platform';
import { KeyLifetimes } from '../auth/key-lifetimes.js';
import { requireRole } from '../auth/permission.js';
import { FollowedTexts } from '../containers/followed-texts.js';
import { MESSAGING } from '../gateway.tokens.js';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, param, type Call } from '../http/call.js';
import { member } from '../http/members.js';
import { invalid } from '../problems/refusals.js';
import { driverOperationRoutes } from '../routes/driver-operation.routes.js';
import { ServiceClient } from '../services/service-client.js';

/** How much longer than an operation may take its conductor is waited for. */
const GRACE_MS = 2_000;

/** Forwards requests for operations of drivers to the conductor of their cluster. */
@Controller()
export class DriverOperationsController implements OnModuleDestroy {
  constructor(
    private readonly services: ServiceClient,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly keys: KeyLifetimes,
    private readonly texts: FollowedTexts,
  ) {}

  onModuleDestroy(): void {
    this.texts.close();
  }

  /** Throws RefusedError: 403 when the role does not permit the operation, and what service, conductor or driver refuses. */
  async call(call: Call): Promise<Answer> {
    const { meta } = call;
    if (meta.idempotencyKey !== undefined) throw withoutEffect;
    const operation = await this.routeOf(call);
    requireRole(meta.actor, { access: operation.role });
    if (!operation.isBuilt) throw notBuilt;
    if (!operation.streaming || meta.dryRun) return this.answer(operation, call);
    const headers = {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
    };
    const stream = await this.texts.open(meta.actor, async () => {
      const subject = member(await this.forward(operation, call), 'subject');
      if (typeof subject !== 'string') throw new Error('the reply to a driver operation has no subject');
      return subject;
    });
    return { ...ok(stream, headers), changed: operation.cluster };
  }

  private async answer(operation: OperationRoute, call: Call): Promise<Answer> {
    const answer = member(await this.forward(operation, call), 'answer');
    const text = Buffer.from(JSON.stringify(answer ?? null));
    if (text.length > operation.maxAnswerBytes) throw tooLarge(operation, text.length);
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    return { ...ok(text, headers), changed: operation.cluster };
  }

  private async routeOf(call: Call): Promise<OperationRoute> {
    const { meta, params, route } = call;
    const { idempotencyKey: _key, planToken: _token, dryRun: _dryRun, ...asked } = meta;
    const rest = params['rest'] === undefined ? {} : { rest: params['rest'] };
    const question = { id: param(call), method: route.method, word: param(call, 'word'), ...rest };
    const { data } = await this.services.ask('cluster', 'driver-operation', asked, question);
    return data as OperationRoute;
  }

  private async forward(operation: OperationRoute, { meta, query, body, route }: Call): Promise<unknown> {
    const { name, driver, cluster, subject, deadlineMs } = operation;
    if (subject === undefined) throw noConductor('no conductor serves this cluster');
    const { actor, correlationId } = meta;
    const { dryRun, ...others } = query;
    const isCheck = dryRun === true && route.method !== 'GET';
    const parameters = { ...(isCheck || route.method === 'GET' ? query : others), ...operation.parameters };
    const given = route.body && Object.keys(body).length > 0 ? { body } : {};
    const own = { kind: isCheck ? OPERATION_CHECK : OPERATION_CALL, name, driver, cluster } as const;
    const request: OperationCall = { ...own, parameters, ...given, caller: { actor, correlationId } };
    try {
      const reply = ask<unknown>(this.messaging, subject, request, deadlineMs + GRACE_MS);
      return (await (meta.request === undefined ? this.keys.during(actor, reply) : reply)).data;
    } catch (error) {
      if (error instanceof NoRespondersError) throw noConductor('the conductor of this cluster is not connected');
      if (error instanceof RequestTimeoutError) throw driverTimeout(operation);
      throw error;
    }
  }
}

const noConductor = (detail: string): RefusedError =>
  new RefusedError({ code: 'no-conductor', kind: 'unavailable', detail, retryAfterMs: 1_000 });

const driverTimeout = ({ name, deadlineMs }: OperationRoute): RefusedError => {
  const detail = `operation ${name} did not answer within ${deadlineMs / 1_000} s`;
  return new RefusedError({ code: 'driver-timeout', kind: 'unavailable', detail });
};

const tooLarge = ({ name, maxAnswerBytes }: OperationRoute, bytes: number): RefusedError => {
  const detail = `the answer of operation ${name} has ${bytes} bytes; the limit is ${maxAnswerBytes}`;
  return new RefusedError({ code: 'driver-answer-too-large', kind: 'bad-answer', detail });
};

const notBuilt = new RefusedError({ code: 'not-built', kind: 'conflict', detail: 'the cluster is not built yet' });

const keyDetail = 'has no effect on an operation of a driver, which is not remembered';
const withoutEffect = invalid('header-without-effect', [
  { pointer: 'Idempotency-Key', code: 'header-without-effect', detail: keyDetail },
]);

/** Gives the controller one Nest handler per route, so that Fastify matches the path. */
for (const route of driverOperationRoutes) {
  const handler = function (this: DriverOperationsController, call: Call): Promise<Answer> {
    return this.call(call);
  };
  const descriptor = { value: handler, configurable: true };
  Object.defineProperty(DriverOperationsController.prototype, route.id, descriptor);
  Handles(route)(DriverOperationsController.prototype, route.id, descriptor);
  FromCall()(DriverOperationsController.prototype, route.id, 0);
}
