import { Module } from '@nestjs/common';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ContainerCalls } from './container-calls.js';
import { ContainerNames } from './container-names.js';
import { ContainerCommands } from './container.commands.js';
import { ContainerController } from './container.controller.js';
import { containerResource } from './container.resource.js';

@Module({
  imports: [SchedulingModule],
  controllers: [ContainerController, ...containerResource.controllers],
  providers: [ContainerCalls, ContainerCommands, ContainerNames, ...containerResource.providers],
})
export class ContainersModule {}
