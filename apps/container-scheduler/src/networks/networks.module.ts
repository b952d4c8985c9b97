import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { NetworkController } from './network.controller.js';
import { networkResource } from './network.resource.js';

@Module({
  imports: [SchedulingModule, AttachmentsModule],
  controllers: [NetworkController, ...networkResource.controllers],
  providers: [...networkResource.providers],
})
export class NetworksModule {}
