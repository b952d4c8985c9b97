import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  isNamedAlone,
  isNameOnly,
  knowsFlavors,
  meantFlavorPatch,
  type ClusterChanges,
  type ClusterSpecification,
  type ClusterState,
  type FlavorSpec,
  type RingView,
} from '@stave/domain';
import { operatingManifest, requireDriver, unknownFlavor, type FlavorAnswers } from '@stave/service-kit';
import { changesOf, type ClusterPatch } from './cluster-patch.js';
import { clusterRouting } from './cluster.tasks.js';

/** A patch of a cluster, whose default flavor may be given by its name alone. */
export class DefaultFlavorPatch {
  /** The flavor that the patch names, once a conductor has answered with its sizes. */
  private found: FlavorSpec | undefined;

  constructor(
    private readonly ring: RingView,
    private readonly answers: FlavorAnswers,
    private readonly patch: ClusterPatch,
  ) {}

  /** Returns the attributes that the patch changes. A flavor whose sizes are not known yet is left out. */
  changesOf(spec: ClusterSpecification): ClusterChanges {
    const changes = this.wanted(spec);
    if (!this.isOpen(spec, changes)) return changes;
    const { flavor: _unknown, ...others } = this.patch.defaults ?? {};
    return changesOf(spec, { ...this.patch, defaults: others });
  }

  /** Asks a conductor for the sizes. Throws RefusedError `flavor-unknown` (422), or 503 where none answers. */
  async learn({ spec, created: { id: clusterId, projectId } }: ClusterState): Promise<void> {
    const { driver, driverVersion } = spec;
    const changes = this.wanted(spec);
    const routing = clusterRouting({ ...spec, conductorGroup: changes.conductorGroup ?? spec.conductorGroup });
    // whether a name alone is enough is known only while the driver is offered
    if (isNameOnly(this.given ?? {})) requireDriver(this.ring, routing.group, driver, driverVersion);
    const flavor = changes.defaults?.flavor;
    if (!isNamedAlone(flavor) || !this.isOpen(spec, changes)) return;
    const { name } = flavor;
    const options = changes.options ?? spec.options;
    this.found = await this.answers.sizesOf({ name, clusterId, projectId, routing, options });
    if (!this.found) throw new RefusedError(brokenRules([unknownFlavor(name, driver, '/defaults/flavor')]));
  }

  private get given(): Readonly<Record<string, unknown>> | undefined {
    return (this.patch.defaults?.['flavor'] ?? undefined) as Readonly<Record<string, unknown>> | undefined;
  }

  /** A driver that knows no flavors by name needs the sizes, which is a problem of the change. */
  private isOpen(spec: ClusterSpecification, { defaults }: ClusterChanges): boolean {
    const manifest = operatingManifest(this.ring, clusterRouting(spec));
    return isNamedAlone(defaults?.flavor) && (!manifest || knowsFlavors(manifest));
  }

  private wanted(spec: ClusterSpecification): ClusterChanges {
    const { given, patch } = this;
    if (!given) return changesOf(spec, patch);
    const manifest = operatingManifest(this.ring, clusterRouting(spec)) ?? {};
    const flavor = meantFlavorPatch(manifest, given, this.found);
    return changesOf(spec, { ...patch, defaults: { ...patch.defaults, flavor } });
  }
}
