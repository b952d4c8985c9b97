import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { nodeRoutes as routes } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import type { Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class NodesController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('node', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('node', call, targetOf(call));
  }

  @Handles(routes.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('node', call, targetOf(call));
  }

  @Handles(routes.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('node', call, targetOf(call));
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('node', call, { id: param(call) });
  }

  @Handles(routes.cordon)
  cordon(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'cordon');
  }

  @Handles(routes.uncordon)
  uncordon(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'uncordon');
  }

  @Handles(routes.drain)
  drain(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'drain');
  }

  @Handles(routes.replace)
  replace(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'replace');
  }

  @Handles(routes.retry)
  retry(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'retry');
  }

  @Handles(routes.rebuild)
  rebuild(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'rebuild');
  }

  @Handles(routes.reboot)
  reboot(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node', call, targetOf(call), 'reboot');
  }
}
