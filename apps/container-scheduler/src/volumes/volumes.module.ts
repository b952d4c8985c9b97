import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { VolumeController } from './volume.controller.js';
import { volumeResource } from './volume.resource.js';

@Module({
  imports: [SchedulingModule, AttachmentsModule],
  controllers: [VolumeController, ...volumeResource.controllers],
  providers: [...volumeResource.providers],
})
export class VolumesModule {}
