import { Module } from '@nestjs/common';
import { FleetModule } from '../fleet/fleet.module.js';
import { MachineController } from './machine.controller.js';
import { MachineNames } from './machine-names.js';
import { MachineReconciler } from './machine.reconciler.js';
import { machineResource } from './machine.resource.js';

@Module({
  imports: [FleetModule],
  controllers: [MachineController, ...machineResource.controllers],
  providers: [MachineNames, MachineReconciler, ...machineResource.providers],
})
export class MachinesModule {}
