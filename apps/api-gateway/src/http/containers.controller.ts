import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { containerRoutes as routes } from '../routes/index.js';
import { LogFollower } from '../services/log-follower.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import { ServiceClient } from '../services/service-client.js';
import { ok, type Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

const DEFAULT_TAIL = 200;

@Controller()
export class ContainersController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
    private readonly services: ServiceClient,
    private readonly logStreams: LogFollower,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('container', call);
  }

  @Handles(routes.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('container', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('container', call, targetOf(call));
  }

  @Handles(routes.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('container', call, targetOf(call));
  }

  @Handles(routes.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('container', call, targetOf(call));
  }

  @Handles(routes.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('container', call, targetOf(call));
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('container', call, { id: param(call) });
  }

  @Handles(routes.start)
  start(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('container', call, targetOf(call), 'start');
  }

  @Handles(routes.stop)
  stop(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('container', call, targetOf(call), 'stop');
  }

  @Handles(routes.restart)
  restart(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('container', call, targetOf(call), 'restart');
  }

  @Handles(routes.retry)
  retry(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('container', call, targetOf(call), 'retry');
  }

  @Handles(routes.logs)
  async logs(@FromCall() call: Call): Promise<Answer> {
    const { follow, ...asked } = call.query;
    const body = { tail: DEFAULT_TAIL, ...asked, id: param(call) };
    if (follow === true) {
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache, no-transform' };
      return { status: 200, headers, body: await this.logStreams.follow(call.meta, body) };
    }
    const { data } = await this.services.ask('container', 'logs', call.meta, body);
    return ok(typeof data === 'string' ? { logs: data } : data);
  }

  @Handles(routes.stats)
  async stats(@FromCall() call: Call): Promise<Answer> {
    return ok((await this.services.ask('container', 'stats', call.meta, targetOf(call))).data);
  }
}
