import { Module } from '@nestjs/common';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ContainerCalls } from './container-calls.js';
import { ContainerController } from './container.controller.js';
import { containerResource } from './container.resource.js';

@Module({
  imports: [SchedulingModule],
  controllers: [ContainerController, ...containerResource.controllers],
  providers: [ContainerCalls, ...containerResource.providers],
})
export class ContainersModule {}
