import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { validationFailed } from '@stave/service-kit';
import type { Route } from '../routes/route.js';
import { RouteValidator } from '../validation/route-validator.js';
import { ROUTE, type Call, type GatewayRequest, type Values } from './call.js';
import { checkMediaType } from './json-body.js';
import { isMembers } from './members.js';
import { requestMeta } from './request-meta.js';

const tokenOfPlan = { pointer: '?planToken', code: 'unknown-parameter', detail: 'has no effect on a dry run' };

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Throws RefusedError (400) that names every parameter of the query that is not UTF-8: the parser takes it as it is written. */
function checkEncoding(url: string): void {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start) || isEncoded(url.slice(start))) return;
  const parameters = url.slice(start + 1).split('&');
  const errors = parameters
    .filter(parameter => !isEncoded(parameter))
    .map(parameter => parameter.split('=')[0] ?? '')
    .map(name => ({ pointer: `?${name}`, code: 'not-utf-8', detail: 'is not UTF-8, encoded with %' }));
  throw validationFailed(errors);
}

/**
 * Validates a request against its route and stores it as a Call for the handler. It is a guard because each layer of interceptors
 * costs a tenth of a small request.
 */
@Injectable()
export class CallGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly validator: RouteValidator,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const route = this.reflector.get<Route>(ROUTE, context.getHandler());
    const request = context.switchToHttp().getRequest<GatewayRequest>();
    if (route.access !== 'public') request.call = this.callOf(route, request);
    else if (route.path.startsWith('/v1')) this.check(route, request);
    return true;
  }

  private check(route: Route, request: GatewayRequest): { readonly params: Values; query: Values; body: unknown } {
    checkMediaType(route, request.headers['content-type']);
    const query = isMembers(request.query) ? request.query : {};
    checkEncoding(request.url);
    const params = isMembers(request.params) ? request.params : {};
    const body = request.body === undefined && route.bodyOptional ? {} : request.body;
    this.validator.check(route, params, query, body);
    return { params, query, body };
  }

  private callOf(route: Route, request: GatewayRequest): Call {
    const { params, query, body } = this.check(route, request);
    if (query['dryRun'] === true && query['planToken'] !== undefined) throw validationFailed([tokenOfPlan]);
    return {
      route,
      meta: requestMeta(route, request, query),
      params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
      query,
      body: isMembers(body) ? body : {},
    };
  }
}
