import { Controller } from '@nestjs/common';
import { conductorGroupRoutes, conductorRoutes, driverRoutes, ringRoutes } from '../routes/index.js';
import { ResourceGateway, targetOf } from '../services/resource-gateway.js';
import { ServiceClient } from '../services/service-client.js';
import { ok, type Answer } from './answer.js';
import { FromCall, param, type Call } from './call.js';
import { Handles } from './route.decorator.js';

/** Who serves what: drivers, conductors, their groups and rings. */
@Controller()
export class RegistryController {
  constructor(
    private readonly resources: ResourceGateway,
    private readonly services: ServiceClient,
  ) {}

  @Handles(driverRoutes.list)
  drivers(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('driver', call);
  }

  @Handles(driverRoutes.get)
  driver(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('driver', call, { id: param(call, 'name') });
  }

  @Handles(driverRoutes.version)
  driverVersion(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('driver', call, { id: param(call, 'name'), version: param(call, 'version') });
  }

  @Handles(conductorRoutes.list)
  conductors(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('conductor', call);
  }

  @Handles(conductorRoutes.get)
  conductor(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('conductor', call, targetOf(call));
  }

  @Handles(conductorRoutes.drain)
  drain(@FromCall() call: Call): Promise<Answer> {
    return this.resources.action('conductor', call, targetOf(call), 'drain');
  }

  @Handles(conductorGroupRoutes.list)
  groups(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('conductor-group', call);
  }

  @Handles(ringRoutes.list)
  rings(@FromCall() call: Call): Promise<Answer> {
    return this.resources.list('ring', call);
  }

  @Handles(ringRoutes.lookup)
  async lookup(@FromCall() call: Call): Promise<Answer> {
    return ok((await this.services.ask('ring', 'lookup', call.meta, { resource: call.query['resource'] })).data);
  }

  @Handles(ringRoutes.get)
  ring(@FromCall() call: Call): Promise<Answer> {
    return this.resources.get('ring', call, { id: param(call, 'key') });
  }
}
