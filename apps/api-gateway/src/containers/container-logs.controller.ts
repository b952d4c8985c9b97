import { Controller } from '@nestjs/common';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, param, type Call } from '../http/call.js';
import { containerLogsRoute } from '../routes/container.routes.js';
import { ServiceClient } from '../services/service-client.js';
import { LogFollower } from './log-follower.js';

const DEFAULT_TAIL = 200;

@Controller()
export class ContainerLogsController {
  constructor(
    private readonly services: ServiceClient,
    private readonly follower: LogFollower,
  ) {}

  @Handles(containerLogsRoute)
  async logs(@FromCall() call: Call): Promise<Answer> {
    const { follow, tail = DEFAULT_TAIL } = call.query;
    const body = { id: param(call), tail };
    if (follow === true) {
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache, no-transform' };
      return { status: 200, headers, body: await this.follower.follow(call.meta, body) };
    }
    const { data } = await this.services.ask('container', 'logs', call.meta, body);
    return ok(typeof data === 'string' ? { logs: data } : data);
  }
}
