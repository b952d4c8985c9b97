import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Route } from '../routes/route.js';
import { RouteValidator } from '../validation/route-validator.js';
import { ROUTE, type Call, type GatewayRequest } from './call.js';
import { checkMediaType } from './json-body.js';
import { isMembers } from './members.js';
import { requestMeta } from './request-meta.js';

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
    return true;
  }

  private callOf(route: Route, request: GatewayRequest): Call {
    checkMediaType(route, request.headers['content-type']);
    const query = isMembers(request.query) ? request.query : {};
    const params = isMembers(request.params) ? request.params : {};
    const body = request.body === undefined && route.bodyOptional ? {} : request.body;
    this.validator.check(route, params, query, body);
    return {
      route,
      meta: requestMeta(request, query),
      params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
      query,
      body: isMembers(body) ? body : {},
    };
  }
}
