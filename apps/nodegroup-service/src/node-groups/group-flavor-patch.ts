import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  groupChanges,
  isNamedAlone,
  isNameOnly,
  meantFlavorPatch,
  type FlavorSpec,
  type NodeGroupChanges,
  type NodeGroupPatch,
  type NodeGroupState,
  type RingView,
} from '@stave/domain';
import { requireDriver, unknownFlavor, type FlavorAnswers } from '@stave/service-kit';
import type { FleetProjection } from '../fleet/fleet.projection.js';
import { groupDefaultsIn, offeredManifest } from './node-group-patch.js';

/** A patch of a node group, whose flavor may be given by its name alone. */
export class GroupFlavorPatch {
  /** The flavor that the patch names, once a conductor has answered with its sizes. */
  private found: FlavorSpec | undefined;

  constructor(
    private readonly fleet: { readonly ring: RingView; readonly projection: FleetProjection },
    private readonly answers: FlavorAnswers,
    private readonly patch: NodeGroupPatch,
  ) {}

  /** Returns the attributes that the patch changes. A flavor whose sizes are not known yet is left out. */
  changesOf(state: NodeGroupState): NodeGroupChanges {
    const { flavor, ...others } = this.wanted(state);
    return flavor === undefined || isNamedAlone(flavor) ? others : { ...others, flavor };
  }

  /**
   * Asks a conductor for the sizes, and returns whether there was something to ask. Throws RefusedError `flavor-unknown` (422), or 503 where
   * none answers.
   */
  async learn(state: NodeGroupState): Promise<boolean> {
    const { clusterId, projectId } = state.declared;
    const cluster = this.fleet.projection.clusters.get(clusterId)?.spec;
    if (!cluster || !isNameOnly({ ...this.patch.flavor })) return false;
    const changes = this.wanted(state);
    const { conductorGroup = state.spec.conductorGroup, flavor } = changes;
    const { driver, driverVersion: version } = cluster;
    const routing = { group: conductorGroup ?? cluster.conductorGroup, driver, version };
    // whether a name alone is enough is known only while the driver is offered
    requireDriver(this.fleet.ring, routing.group, driver, version);
    if (this.found || !isNamedAlone(flavor)) return false;
    const { name } = flavor;
    const options = { ...cluster.options, ...(changes.options ?? state.spec.options) };
    this.found = await this.answers.sizesOf({ name, clusterId, projectId, routing, options });
    if (!this.found) throw new RefusedError(brokenRules([unknownFlavor(name, driver, '/flavor')]));
    return true;
  }

  private wanted(state: NodeGroupState): NodeGroupChanges {
    const { ring, projection } = this.fleet;
    const { patch } = this;
    const cluster = projection.clusters.get(state.declared.clusterId)?.spec;
    const manifest = cluster ? offeredManifest(ring, cluster, state.spec.conductorGroup) : {};
    const meant = patch.flavor
      ? { ...patch, flavor: meantFlavorPatch(manifest, { ...patch.flavor }, this.found) }
      : patch;
    return groupChanges(state.spec, meant, groupDefaultsIn(ring, projection, state));
  }
}
