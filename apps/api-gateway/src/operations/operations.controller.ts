import { Controller } from '@nestjs/common';
import { OperationEvents } from './operation-events.js';
import { OperationList } from './operation-list.js';
import { OperationQueries } from './operation-queries.js';
import { operationRoutes as routes } from '../routes/operation.routes.js';
import type { Answer } from '../http/answer.js';
import { FromCall, type Call } from '../http/call.js';
import { Handles } from '../http/route.decorator.js';

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
