import { Module, type DynamicModule } from '@nestjs/common';
import { ServiceKitModule, startService, type RunningService, type ServicePorts } from '@stave/service-kit';
import { MachinesModule } from './machines/machines.module.js';
import { NodeGroupsModule } from './node-groups/node-groups.module.js';
import { NodesModule } from './nodes/nodes.module.js';

/** Node groups and nodes. */
@Module({})
export class AppModule {
  static forRoot(ports: ServicePorts): DynamicModule {
    const serviceKit = ServiceKitModule.forRoot({ ...ports, service: 'nodegroup-service', operationIdPrefix: 'n' });
    return { module: AppModule, imports: [serviceKit, NodeGroupsModule, NodesModule, MachinesModule] };
  }
}

/** Starts nodegroup-service on these ports. Resolves when it answers requests. */
export const createNodeGroupService = (ports: ServicePorts): Promise<RunningService> =>
  startService(AppModule.forRoot(ports));
