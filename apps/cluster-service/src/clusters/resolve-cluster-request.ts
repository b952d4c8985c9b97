import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  driverDefaults,
  generatedName,
  mergeCluster,
  outlineCluster,
  randomSource,
  resolveCluster,
  type ClusterAttributes,
  type ClusterCreated,
  type ClusterOutline,
  type ClusterRequest,
  type DriverManifest,
  type DriverOffer,
  type GroupDeclaration,
  type ResolvedCluster,
  type RingView,
  type WantedClusterSpecification,
  type WantedNodeGroupSpec,
} from '@stave/domain';
import { requireAllowedDriver, requireDriver, requireVersion } from '@stave/service-kit';
import { driverProblems } from './driver-problems.js';
import { groupNames } from './group-names.js';

/** A cluster as it will be created, without the ids of its request. */
export type ResolvedClusterRequest = Omit<ClusterCreated['data'], 'id' | 'operation' | 'projectId'>;

type WantedGroup = Omit<GroupDeclaration, 'spec'> & { readonly spec: WantedNodeGroupSpec };

/** A cluster as it will be created, in which flavors may be given by their names alone. */
export interface WantedCluster {
  readonly cluster: Omit<ResolvedClusterRequest, 'spec' | 'groups'> & {
    readonly spec: WantedClusterSpecification;
    readonly groups: readonly WantedGroup[];
  };
  /** Where its values come from. */
  readonly outline: ClusterOutline;
  readonly manifest: DriverManifest;
}

export interface RequestedIds {
  readonly project: string;
  /** The id of the cluster; default names derive from it. */
  readonly cluster: string;
  /** Returns a new id for each group. */
  readonly group: () => string;
}

/**
 * Resolves a request to the cluster that it creates, but for the sizes of flavors that are given by name. Throws RefusedError: `driver-not-allowed` (403) where the driver does not serve the
 * project; everything that is missing or invalid at once (422); then
 * `no-conductor-available` (503) for the driver, its version or a conductor group, those of node groups included.
 */
export function resolveClusterRequest(
  ring: RingView,
  name: string | undefined,
  request: ClusterRequest,
  ids: RequestedIds,
): WantedCluster {
  const wanted = mergeCluster(request).values;
  requireAllowedDriver(ring, wanted.conductorGroup ?? '', wanted.driver ?? '', ids.project);
  const offer = offerOf(ring, wanted);
  const { driver } = driverDefaults(offer?.manifest ?? {});
  const resolved = resolveCluster(request, driver);
  const problems = [
    ...(resolved.ok ? [] : resolved.problems),
    ...(offer && !request.isSourceUnknown ? driverProblems(offer.manifest, outlineCluster(request, driver)) : []),
  ];
  if (!resolved.ok || problems.length > 0) throw new RefusedError(brokenRules(problems));
  const { spec, origins } = resolved;
  const { version, manifest } = offered(ring, spec);
  for (const { spec: group } of resolved.groups)
    if (group.conductorGroup !== null) {
      requireAllowedDriver(ring, group.conductorGroup, spec.driver, ids.project);
      requireDriver(ring, group.conductorGroup, spec.driver, version);
    }
  const source = request.from?.ref;
  const cluster = {
    name: name ?? (source ? generatedName(source.name, randomSource(ids.cluster)) : `cluster-${ids.cluster.slice(-6)}`),
    spec: { ...spec, driverVersion: version },
    groups: declarations(resolved, ids.group),
    ...(source ? { source } : {}),
    origins: spec.driverVersion === undefined ? { ...origins, driverVersion: { from: 'default' as const } } : origins,
  };
  return { cluster, outline: outlineCluster(request, driver), manifest };
}

type Wanted = Pick<ClusterAttributes, 'driver' | 'driverVersion' | 'conductorGroup'>;

/** Throws RefusedError `no-conductor-available`. */
const offered = (ring: RingView, { driver = '', driverVersion, conductorGroup = '' }: Wanted): DriverOffer =>
  driverVersion === undefined
    ? requireDriver(ring, conductorGroup, driver)
    : requireVersion(ring, conductorGroup, driver, driverVersion);

/** Returns undefined where no conductor offers the driver: the problems of the request itself are reported first. */
function offerOf(ring: RingView, wanted: Wanted): DriverOffer | undefined {
  const { driver = '', driverVersion, conductorGroup = '' } = wanted;
  const newest = ring.newestOffered(conductorGroup, driver);
  const isOffered =
    driverVersion === undefined
      ? newest !== undefined
      : ring.versionsOffered(conductorGroup, driver).includes(driverVersion);
  return isOffered ? offered(ring, wanted) : undefined;
}

/** Returns the declarations of the groups, each with the nearest of its sources. */
function declarations({ groups }: ResolvedCluster, freshId: () => string): readonly WantedGroup[] {
  const ids = groups.map(() => freshId());
  const names = groupNames(groups, ids);
  return groups.map(({ spec, origins, layers }, i) => {
    const source = layers.find(({ origin }) => origin.source)?.origin.source;
    return { id: ids[i] ?? '', name: names[i] ?? '', spec, ...(source ? { source } : {}), origins };
  });
}
