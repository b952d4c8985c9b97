import { applyDecorators, RequestMapping, RequestMethod, SetMetadata } from '@nestjs/common';
import type { Method, Route } from '../routes/route.js';

export const ROUTE = 'stave:route';

const methods: Readonly<Record<Method, RequestMethod>> = {
  GET: RequestMethod.GET,
  POST: RequestMethod.POST,
  PATCH: RequestMethod.PATCH,
  DELETE: RequestMethod.DELETE,
};

/** Makes a controller's method the handler of a declared route. */
export const Handles = (route: Route): MethodDecorator =>
  applyDecorators(SetMetadata(ROUTE, route), RequestMapping({ method: methods[route.method], path: route.path }));
