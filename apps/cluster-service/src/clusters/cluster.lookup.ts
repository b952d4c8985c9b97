import { RefusedError, type RequestMeta } from '@stave/contracts';
import { isUuid, type ClusterState } from '@stave/domain';
import { mayTouch, nameTaken, Names, notFoundError, projectOf, type Named } from '@stave/service-kit';
import { Injectable } from '@nestjs/common';
import { ClusterProjection } from './cluster.projection.js';

/** The scope in which cluster names are unique. */
export const clusterNames = (projectId: string): string => `${projectId}|cluster`;

/** Finds clusters of the requester. */
@Injectable()
export class ClusterLookup {
  constructor(
    private readonly projection: ClusterProjection,
    private readonly names: Names,
  ) {}

  /** By id, or by name in the requester's project. Throws RefusedError `not-found`, also for clusters of others. */
  async find({ actor }: Pick<RequestMeta, 'actor'>, ref: string): Promise<Named<ClusterState>> {
    const id = isUuid(ref) ? ref : await this.ownerOf(projectOf(actor), ref);
    const state = id === undefined ? undefined : (await this.projection.clusters.load(id)).state;
    if (id === undefined || !state?.created || state.deleted || !mayTouch(actor, state.created.projectId))
      throw new RefusedError(notFoundError('the cluster'));
    return { id, state };
  }

  /** Throws RefusedError `name-taken` where a cluster of the project has the name. */
  async requireFreeName(projectId: string, name: string): Promise<void> {
    const id = await this.ownerOf(projectId, name);
    const { created, deleted = true } = id === undefined ? {} : (await this.projection.clusters.load(id)).state;
    if (created && !deleted) throw nameTaken(name);
  }

  private async ownerOf(projectId: string, name: string): Promise<string | undefined> {
    return (await this.names.owner(clusterNames(projectId), name))?.targetId;
  }
}
