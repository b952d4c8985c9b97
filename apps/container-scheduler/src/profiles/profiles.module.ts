import { Module } from '@nestjs/common';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ProfileController } from './profile.controller.js';
import { profileResource } from './profile.resource.js';

@Module({
  imports: [SchedulingModule],
  controllers: [ProfileController, ...profileResource.controllers],
  providers: [...profileResource.providers],
})
export class ProfilesModule {}
