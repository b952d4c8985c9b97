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
  type ClusterRequest,
  type DriverOffer,
  type GroupDeclaration,
  type ResolvedCluster,
  type RingView,
} from '@stave/domain';
import { requireDriver, requireVersion } from '@stave/service-kit';
import { driverProblems } from './driver-problems.js';
import { groupNames } from './group-names.js';

/** A cluster as it will be created, but for the ids of its request. */
export type PlannedCluster = Omit<ClusterCreated['data'], 'id' | 'operation' | 'projectId'>;

export interface PlanIds {
  /** Of the cluster: what it was not named is named after it. */
  readonly cluster: string;
  /** A fresh one for each group. */
  readonly group: () => string;
}

/**
 * What a request for a cluster results in. Throws RefusedError: everything that is missing or wrong at once (422); then `no-conductor-available`
 * (503) for a driver, its version or a conductor group, the groups' own included.
 */
export function planCluster(
  ring: RingView,
  name: string | undefined,
  request: ClusterRequest,
  ids: PlanIds,
): PlannedCluster {
  const offer = offerOf(ring, mergeCluster(request).values);
  const { driver } = driverDefaults(offer?.manifest ?? {});
  const resolved = resolveCluster(request, driver);
  const problems = [
    ...(resolved.ok ? [] : resolved.problems),
    ...(offer && !request.isSourceUnknown ? driverProblems(offer.manifest, outlineCluster(request, driver)) : []),
  ];
  if (!resolved.ok || problems.length > 0) throw new RefusedError(brokenRules(problems));
  const { spec, origins } = resolved;
  const { version } = offered(ring, spec);
  for (const { spec: group } of resolved.groups)
    if (group.conductorGroup !== null) requireDriver(ring, group.conductorGroup, spec.driver, version);
  const source = request.from?.ref;
  return {
    name: name ?? (source ? generatedName(source.name, randomSource(ids.cluster)) : `cluster-${ids.cluster.slice(-6)}`),
    spec: { ...spec, driverVersion: version },
    groups: declarations(resolved, ids.group),
    ...(source ? { source } : {}),
    origins: spec.driverVersion === undefined ? { ...origins, driverVersion: { from: 'default' } } : origins,
  };
}

type Wanted = Pick<ClusterAttributes, 'driver' | 'driverVersion' | 'conductorGroup'>;

/** Throws RefusedError `no-conductor-available`. */
const offered = (ring: RingView, { driver = '', driverVersion, conductorGroup = '' }: Wanted): DriverOffer =>
  driverVersion === undefined
    ? requireDriver(ring, conductorGroup, driver)
    : requireVersion(ring, conductorGroup, driver, driverVersion);

/** Undefined where nobody offers it: the problems of the request itself come first. */
function offerOf(ring: RingView, wanted: Wanted): DriverOffer | undefined {
  const { driver = '', driverVersion, conductorGroup = '' } = wanted;
  const newest = ring.newestOffered(conductorGroup, driver);
  const isOffered =
    driverVersion === undefined
      ? newest !== undefined
      : ring.versionsOffered(conductorGroup, driver).includes(driverVersion);
  return isOffered ? offered(ring, wanted) : undefined;
}

/** Each names the nearest of its sources. */
function declarations({ groups }: ResolvedCluster, freshId: () => string): readonly GroupDeclaration[] {
  const ids = groups.map(() => freshId());
  const names = groupNames(groups, ids);
  return groups.map(({ spec, origins, layers }, i) => {
    const source = layers.find(({ origin }) => origin.source)?.origin.source;
    return { id: ids[i] ?? '', name: names[i] ?? '', spec, ...(source ? { source } : {}), origins };
  });
}
