import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Route } from '../routes/route.js';
import { RouteValidator, type Values } from '../validation/route-validator.js';
import type { Call, GatewayRequest } from './call.js';
import { checkMediaType } from './media-type.js';
import { requestMeta } from './request-meta.js';
import { ROUTE } from './route.decorator.js';

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;
const texts = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));

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
    const query = isValues(request.query) ? request.query : {};
    const params = isValues(request.params) ? request.params : {};
    const body = request.body ?? (request.body === undefined && route.bodyOptional ? {} : request.body);
    this.validator.check(route, params, query, body);
    return {
      route,
      meta: requestMeta(request, query),
      params: texts(params),
      query,
      body: isValues(body) ? body : {},
    };
  }
}
