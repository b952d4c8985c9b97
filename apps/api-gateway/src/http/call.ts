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

/** A request with what the guards have found out about it. */
export interface GatewayRequest extends FastifyRequest {
  correlationId?: string;
  actor?: Actor;
  call?: Call;
}

/** Returns a path parameter; validation ensures that it exists. */
export const param = (call: Call, name = 'id'): string => call.params[name] ?? '';

/** Injects the validated request. */
export const FromCall = createParamDecorator((_: unknown, context: ExecutionContext): Call | undefined => {
  return context.switchToHttp().getRequest<GatewayRequest>().call;
});
