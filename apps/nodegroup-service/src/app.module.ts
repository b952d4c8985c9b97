import { Module, type DynamicModule } from '@nestjs/common';
import {
  HooksModule,
  ServiceKitModule,
  startService,
  type HookOptions,
  type RunningService,
  type ServicePorts,
} from '@stave/service-kit';
import { MachinesModule } from './machines/machines.module.js';
import { NodeGroupsModule } from './node-groups/node-groups.module.js';
import { NodesModule } from './nodes/nodes.module.js';

export type NodeGroupServiceOptions = HookOptions;

/** Node groups and nodes. */
@Module({})
export class AppModule {
  static forRoot(ports: ServicePorts, options: NodeGroupServiceOptions): DynamicModule {
    const serviceKit = ServiceKitModule.forRoot({ ...ports, service: 'nodegroup-service', operationIdPrefix: 'n' });
    const hooks = HooksModule.forRoot(options);
    return { module: AppModule, imports: [serviceKit, hooks, NodeGroupsModule, NodesModule, MachinesModule] };
  }
}

/** Starts nodegroup-service on these ports. Resolves when it answers requests. */
export const createNodeGroupService = (
  ports: ServicePorts,
  options: NodeGroupServiceOptions = {},
): Promise<RunningService> => startService(AppModule.forRoot(ports, options));
