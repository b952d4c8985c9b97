import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { Route } from '../routes/index.js';
import { RouteValidator, type Values } from '../validation/route-validator.js';
import type { Answer } from './answer.js';
import type { Call, GatewayRequest } from './call.js';
import { checkMediaType } from './media-type.js';
import { requestMeta } from './request-meta.js';
import { ROUTE } from './route.decorator.js';

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;
const texts = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));

/** Validates a request against its route before the handler runs, and renders the handler's Answer. */
@Injectable()
export class CallInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly validator: RouteValidator,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Answer | undefined>): Observable<unknown> {
    const route = this.reflector.get<Route>(ROUTE, context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<GatewayRequest>();
    if (route.access !== 'public') request.call = this.callOf(route, request);
    return next.handle().pipe(map(answer => this.render(answer, http.getResponse<FastifyReply>())));
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

  /** A handler that wrote by itself (a stream) answers nothing. */
  private render(answer: Answer | undefined, reply: FastifyReply): unknown {
    if (!answer) return undefined;
    void reply.status(answer.status).headers(answer.headers);
    return answer.body;
  }
}
