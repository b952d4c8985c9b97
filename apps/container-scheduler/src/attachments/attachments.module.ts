import { Module } from '@nestjs/common';
import { NetworkCreation } from '../networks/network-creation.js';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { VolumeCreation } from '../volumes/volume-creation.js';
import { ContainerAttachments } from './container-attachments.js';

const parts = [ClusterDrivers, NetworkCreation, VolumeCreation, ContainerAttachments];

/** How networks and volumes are made, for clients and for the containers that name them. */
@Module({ imports: [SchedulingModule], providers: parts, exports: parts })
export class AttachmentsModule {}
