import { Injectable } from '@nestjs/common';
import type { ClusterState } from '@stave/domain';
import { Names, ProjectNames } from '@stave/service-kit';
import { ClusterProjection } from './cluster.projection.js';

/** Finds clusters of the requester by id or name, and reserves and releases their names. */
@Injectable()
export class ClusterLookup extends ProjectNames<ClusterState> {
  constructor(names: Names, { clusters }: ClusterProjection) {
    super(names, clusters, ({ created }) => created);
  }
}
