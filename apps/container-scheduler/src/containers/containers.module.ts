import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ExplainModule } from '../explain/explain.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { SetsModule } from '../sets/sets.module.js';
import { ContainerUsageListener } from '../telemetry/container-usage.listener.js';
import { ContainerCalls } from './container-calls.js';
import { ContainerCreation } from './container-creation.js';
import { ContainerController } from './container.controller.js';
import { containerResource } from './container.resource.js';
import { MemberRemoval } from './member-removal.js';

@Module({
  imports: [SchedulingModule, AttachmentsModule, PoliciesModule, SetsModule, ExplainModule],
  controllers: [ContainerController, ...containerResource.controllers],
  providers: [ContainerCalls, ContainerCreation, ContainerUsageListener, MemberRemoval, ...containerResource.providers],
})
export class ContainersModule {}
