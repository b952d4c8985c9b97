import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { containerProfileRoutes as routes } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import type { Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class ContainerProfilesController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('container-profile', call);
  }

  @Handles(routes.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('container-profile', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('container-profile', call, targetOf(call));
  }

  @Handles(routes.patch)
  patch(@FromCall() call: Call): Promise<Answer> {
    return this.resources.patch('container-profile', call, targetOf(call));
  }

  @Handles(routes.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('container-profile', call, targetOf(call));
  }

  @Handles(routes.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('container-profile', call, targetOf(call));
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('container-profile', call, { id: param(call) });
  }
}
