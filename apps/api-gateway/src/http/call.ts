import {
  applyDecorators,
  createParamDecorator,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type ExecutionContext,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Actor, RequestMeta } from '@stave/contracts';
import type { FastifyRequest } from 'fastify';
import type { Route } from '../routes/route.js';

export type Values = Readonly<Record<string, unknown>>;

/** A request that passed authentication and validation. */
export interface Call {
  readonly route: Route;
  readonly meta: RequestMeta;
  readonly params: Readonly<Record<string, string>>;
  /** Coerced to the types of the query schema. */
  readonly query: Values;
  readonly body: Values;
}

export interface GatewayRequest extends FastifyRequest {
  actor?: Actor;
  /** Who was refused for its role or project; `actor` is absent then. */
  refusedActor?: Actor;
  /** The code of the problem that was answered. */
  refusal?: string;
  /** The resource that was changed. */
  changed?: { readonly id?: string; readonly projectId?: string };
  call?: Call;
  /** `Set-Cookie` headers of the answer: a session that was renewed. */
  cookies?: readonly string[];
}

/** Returns the project that the header of a request names. */
export const wantedProject = ({ headers }: FastifyRequest): string | undefined => headers['stave-project']?.toString();

export const ROUTE = 'stave:route';

/** Makes a controller's method the handler of a declared route. */
export const Handles = (route: Route): MethodDecorator =>
  applyDecorators(
    SetMetadata(ROUTE, route),
    RouteConfig({ route }),
    RequestMapping({ method: RequestMethod[route.method], path: route.path }),
  );

/** Returns the declared route that Fastify found for a request, before Nest handles it. */
export const routeOf = ({ routeOptions }: FastifyRequest): Route | undefined =>
  (routeOptions.config as { readonly route?: Route } | undefined)?.route;

/** Returns the holder of what a token requests. */
export const holderOfToken = ({ issuer, subject }: { readonly issuer: string; readonly subject: string }): string =>
  `${issuer} ${subject}`;

/** Returns whose requests, streams and answers count together: those of one key, or of one subject of an issuer. Ids of keys have no space. */
export const holderOfActor = ({ keyId, issuer }: Actor): string =>
  issuer === undefined ? keyId : holderOfToken({ issuer, subject: keyId });

/** Returns whose answers count together; those to a public path do, too. */
export const holderOf = (request: GatewayRequest): string =>
  request.actor ? holderOfActor(request.actor) : `public ${routeOf(request)?.path ?? 'path'}`;

export const FromCall = createParamDecorator((_: unknown, context: ExecutionContext): Call | undefined => {
  return context.switchToHttp().getRequest<GatewayRequest>().call;
});

/** Returns a path parameter; validation ensures that it exists. */
export const param = (call: Call, name = 'id'): string => call.params[name] ?? '';
