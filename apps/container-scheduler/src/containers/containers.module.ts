import { Module } from '@nestjs/common';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { SetsModule } from '../sets/sets.module.js';
import { ContainerUsageListener } from '../telemetry/container-usage.listener.js';
import { ContainerCalls } from './container-calls.js';
import { ContainerController } from './container.controller.js';
import { containerResource } from './container.resource.js';
import { MemberRemoval } from './member-removal.js';

@Module({
  imports: [SchedulingModule, SetsModule],
  controllers: [ContainerController, ...containerResource.controllers],
  providers: [ContainerCalls, ContainerUsageListener, MemberRemoval, ...containerResource.providers],
})
export class ContainersModule {}
