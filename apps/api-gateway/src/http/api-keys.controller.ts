import { Controller } from '@nestjs/common';
import { apiKeyRoutes as routes } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import type { Answer } from './answer.js';
import { FromCall, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class ApiKeysController {
  constructor(private readonly resources: ResourceGateway) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('api-key', call);
  }

  @Handles(routes.create)
  create(@FromCall() call: Call): Promise<Answer> {
    return this.resources.create('api-key', call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('api-key', call, targetOf(call));
  }

  @Handles(routes.delete)
  delete(@FromCall() call: Call): Promise<Answer> {
    return this.resources.delete('api-key', call, targetOf(call));
  }
}
