import { Module, type DynamicModule } from '@nestjs/common';
import {
  HooksModule,
  ServiceKitModule,
  startService,
  type HookOptions,
  type RunningService,
  type ServicePorts,
} from '@stave/service-kit';
import { AutoscalingModule } from './autoscaling/autoscaling.module.js';
import { ContainersModule } from './containers/containers.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { NetworksModule } from './networks/networks.module.js';
import { PlacementModule, type PlacementOptions } from './placement/placement.module.js';
import { PoliciesModule } from './policies/policies.module.js';
import { ProfilesModule } from './profiles/profiles.module.js';
import { SetAutoscalingModule } from './set-autoscaling/set-autoscaling.module.js';
import { SetsModule } from './sets/sets.module.js';
import { VolumesModule } from './volumes/volumes.module.js';

export type SchedulerOptions = PlacementOptions & HookOptions;

/** Container profiles, containers, and their placement on nodes. */
@Module({})
export class AppModule {
  static forRoot(ports: ServicePorts, options: SchedulerOptions): DynamicModule {
    const serviceKit = ServiceKitModule.forRoot({ ...ports, service: 'container-scheduler', operationIdPrefix: 's' });
    return {
      module: AppModule,
      imports: [
        serviceKit,
        HooksModule.forRoot(options),
        ProfilesModule,
        NetworksModule,
        VolumesModule,
        ContainersModule,
        SetsModule,
        SetAutoscalingModule,
        PoliciesModule,
        ExplainModule,
        PlacementModule.forRoot(options),
        AutoscalingModule,
      ],
    };
  }
}

/** Starts container-scheduler on these ports. Resolves when it answers requests. */
export const createContainerScheduler = (
  ports: ServicePorts,
  options: SchedulerOptions = {},
): Promise<RunningService> => startService(AppModule.forRoot(ports, options));
