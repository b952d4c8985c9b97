import { Controller } from '@nestjs/common';
import { OperationEvents } from '../operations/operation-events.js';
import { OperationList } from '../operations/operation-list.js';
import { OperationQueries } from '../operations/operation-queries.js';
import { operationRoutes as routes } from '../routes/index.js';
import type { Answer } from './answer.js';
import { FromCall, type Call } from './call.js';
import { Handles } from './route.decorator.js';

@Controller()
export class OperationsController {
  constructor(
    private readonly operations: OperationQueries,
    private readonly lists: OperationList,
    private readonly events: OperationEvents,
  ) {}

  @Handles(routes.list)
  list(@FromCall() call: Call): Promise<Answer> {
    return this.lists.list(call);
  }

  @Handles(routes.get)
  get(@FromCall() call: Call): Promise<Answer> {
    return this.operations.get(call);
  }

  @Handles(routes.cancel)
  cancel(@FromCall() call: Call): Promise<Answer> {
    return this.operations.cancel(call);
  }

  @Handles(routes.history)
  history(@FromCall() call: Call): Promise<Answer> {
    return this.events.page(call);
  }
}
