import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { nodeGroupRoutes as routes } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import type { Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class NodeGroupsController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('node-group', call);
  }

  @Handles(routes.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('node-group', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('node-group', call, targetOf(call));
  }

  @Handles(routes.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('node-group', call, targetOf(call));
  }

  @Handles(routes.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('node-group', call, targetOf(call));
  }

  @Handles(routes.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('node-group', call, targetOf(call));
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('node-group', call, { id: param(call) });
  }

  @Handles(routes.rebuild)
  rebuild(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetOf(call), 'rebuild');
  }

  @Handles(routes.reboot)
  reboot(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetOf(call), 'reboot');
  }

  @Handles(routes.retry)
  retry(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetOf(call), 'retry');
  }

  @Handles(routes.resize)
  resize(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('node-group', call, targetOf(call), 'resize');
  }
}
