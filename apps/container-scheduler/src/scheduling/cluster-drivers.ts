import { Injectable } from '@nestjs/common';
import { RefusedError, type FieldProblem } from '@stave/contracts';
import { brokenRules, type AttachmentKind, type ClusterState } from '@stave/domain';
import {
  containerProblems,
  pluginsOf,
  scopeOf,
  type DriverManifest,
  type DriverRestrictions,
  type DriverScope,
  type Options,
  type Plugins,
} from '@stave/driver-sdk';
import { operatingManifest, requireCapability, RingFollower } from '@stave/service-kit';
import { SchedulerProjection } from './scheduler.projection.js';

type Manifest = Partial<Pick<DriverManifest, 'capabilities'>> &
  Pick<DriverManifest, 'networkDrivers' | 'volumeDrivers' | 'otherDrivers'> & {
    readonly restrictions?: DriverRestrictions;
  };

interface Wanted {
  readonly name: string;
  readonly driver: string;
  readonly options: Options;
}

/** The drivers of networks and volumes in clusters and on their nodes, by the manifest of the driver that operates the cluster. */
@Injectable()
export class ClusterDrivers {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly ring: RingFollower,
  ) {}

  /** Returns whether networks or volumes of the cluster are resources: its driver makes them on its own. */
  manages(kind: AttachmentKind, cluster: ClusterState): boolean {
    return this.manifest(cluster)?.capabilities?.includes(`${kind}s`) ?? false;
  }

  /** Throws RefusedError `unsupported` where the driver of the cluster makes no such resource. */
  requireManaged(kind: AttachmentKind, { spec }: ClusterState): void {
    const { conductorGroup: group, driver, driverVersion: version } = spec;
    requireCapability(this.ring.view, { group, driver, version }, `${kind}s`, `${kind}s`);
  }

  /**
   * Returns where a network or volume would exist. Throws RefusedError (422) for a driver that no node of the cluster has (`driver-missing`),
   * and for what the operator does not allow (`option-not-allowed`). Pointers name the members of a request for it.
   */
  requireAllowed(kind: AttachmentKind, cluster: ClusterState, wanted: Wanted): DriverScope {
    const { name, driver, options } = wanted;
    const { restrictions } = this.manifest(cluster) ?? {};
    const asked = kind === 'network' ? { network: wanted } : { volumes: [{ name, driver, options, mountPath: '/' }] };
    const problems: FieldProblem[] = containerProblems(restrictions?.containers, asked).map(problem => {
      return { ...problem, pointer: problem.pointer.replace(/^\/network|^\/volumes\/0/, '') };
    });
    const scope = this.scopeIn(kind, cluster, driver);
    const detail = `no node of the cluster has the ${kind} driver ${driver}`;
    if (scope === undefined) problems.push({ pointer: '/driver', code: 'driver-missing', detail });
    if (scope === undefined || problems.length > 0) throw new RefusedError(brokenRules(problems));
    return scope;
  }

  /** Returns the drivers that the nodes of a group have; undefined where they cannot be listed. */
  driversOn(kind: AttachmentKind, cluster: ClusterState, nodeGroupId: string): readonly string[] | undefined {
    const manifest = this.manifest(cluster);
    if (!manifest) return undefined;
    const { known, others } = this.plugins(manifest, kind, cluster, nodeGroupId);
    return others ? undefined : Object.keys(known);
  }

  /** The scope by the options of the cluster, or of the first of its groups that has the driver. */
  private scopeIn(kind: AttachmentKind, cluster: ClusterState, driver: string): DriverScope | undefined {
    const manifest = this.manifest(cluster);
    if (!manifest) return undefined;
    for (const id of [undefined, ...this.projection.groupsByCluster.in(cluster.created.id)]) {
      const scope = scopeOf(this.plugins(manifest, kind, cluster, id), driver);
      if (scope) return scope;
    }
    return undefined;
  }

  private plugins(manifest: Manifest, kind: AttachmentKind, { spec }: ClusterState, groupId?: string): Plugins {
    const own = groupId === undefined ? {} : this.projection.groups.get(groupId)?.spec.options;
    return pluginsOf(manifest, kind, { ...spec.options, ...own });
  }

  private manifest({ spec }: ClusterState): Manifest | undefined {
    const { conductorGroup: group, driver, driverVersion: version } = spec;
    return operatingManifest(this.ring.view, { group, driver, version }) as Manifest | undefined;
  }
}
