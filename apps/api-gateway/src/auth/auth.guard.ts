import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RefusedError, type Actor } from '@stave/contracts';
import { ROUTE, type GatewayRequest } from '../http/call.js';
import type { Access, Route } from '../routes/route.js';
import { Authenticator } from './authenticator.js';

const rank = { reader: 1, member: 2, admin: 3 } as const;

function may(actor: Actor, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'operator') return actor.role === 'admin' && actor.project === null;
  return rank[actor.role] >= rank[access];
}

/** Accepts a request when the role of its key permits the route. The services check the project. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { access } = this.reflector.get<Route>(ROUTE, context.getHandler());
    if (access === 'public') return true;
    const request = context.switchToHttp().getRequest<GatewayRequest>();
    const actor = await this.authenticator.authenticate(request.headers.authorization, request.id);
    const detail = `this request requires the role ${access}; the API key has the role ${actor.role}`;
    if (!may(actor, access)) throw new RefusedError({ code: 'forbidden', kind: 'forbidden', detail });
    request.actor = actor;
    return true;
  }
}
