import { Controller } from '@nestjs/common';
import { ResourceHistory } from '../events/resource-history.js';
import { projectRoutes as routes } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import type { Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class ProjectsController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly histories: ResourceHistory,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('project', call);
  }

  @Handles(routes.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('project', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('project', call, targetOf(call));
  }

  @Handles(routes.diff)
  diff(@FromCall() call: Call): Promise<Answer> {
    return this.resources.diff('project', call, targetOf(call));
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.histories.page('project', call, { id: param(call) });
  }
}
