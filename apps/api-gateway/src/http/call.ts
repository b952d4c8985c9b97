import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor, RequestMeta } from '@stave/contracts';
import type { FastifyRequest } from 'fastify';
import type { Route } from '../routes/route.js';

/** A request that passed authentication and validation. */
export interface Call {
  readonly route: Route;
  readonly meta: RequestMeta;
  readonly params: Readonly<Record<string, string>>;
  /** Coerced to the types of the query schema. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the gateway keeps with a request while it is handled. */
export interface GatewayRequest extends FastifyRequest {
  correlationId?: string;
  actor?: Actor;
  call?: Call;
}

/** The path's parameter of that name; validation has made sure that it is there. */
export const param = (call: Call, name = 'id'): string => call.params[name] ?? '';

/** Injects the validated request. */
export const FromCall = createParamDecorator((_: unknown, context: ExecutionContext): Call | undefined => {
  return context.switchToHttp().getRequest<GatewayRequest>().call;
});
