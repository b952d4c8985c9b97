import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  changedOptions,
  drivenGroupChanges,
  driverDefaults,
  flavorProblems,
  groupAttributeProblems,
  manifestOf,
  rollingOptions,
  unchangeableOptions,
  type ClusterSpecification,
  type DriverManifest,
  type Decision,
  type GroupDefaults,
  type NodeGroupChanges,
  type NodeGroupEvent,
  type NodeGroupState,
  type Problem,
  type RingView,
} from '@stave/domain';
import { groupOptionProblems, requireDriver } from '@stave/service-kit';
import { clusterChangeRefusal } from '../fleet/fleet.lookup.js';
import type { FleetProjection } from '../fleet/fleet.projection.js';

const clusterOf = (projection: FleetProjection, { declared }: NodeGroupState) =>
  projection.clusters.get(declared.clusterId);

/** Returns the manifest of the cluster's driver in this conductor group; empty where no conductor offers it. */
export function offeredManifest(ring: RingView, cluster: ClusterSpecification, group: string | null): DriverManifest {
  const { driver, driverVersion, conductorGroup } = cluster;
  const [version] = ring.versionsOffered(group ?? conductorGroup, driver, driverVersion);
  return version === undefined ? {} : (manifestOf(ring, driver, version) ?? {});
}

/** Returns the defaults that null in a patch restores: those of the cluster, then of the driver. */
export function groupDefaultsIn(ring: RingView, projection: FleetProjection, state: NodeGroupState): GroupDefaults {
  const cluster = clusterOf(projection, state)?.spec;
  if (!cluster) return {};
  const manifest = offeredManifest(ring, cluster, state.spec.conductorGroup);
  return { cluster: cluster.defaults, ...driverDefaults(manifest) };
}

/** Returns the options of the group whose change replaces nodes; undefined where no conductor offers the driver. */
export function rollingOptionsIn(
  ring: RingView,
  projection: FleetProjection,
  state: NodeGroupState,
  changes: NodeGroupChanges,
): readonly string[] | undefined {
  const cluster = clusterOf(projection, state)?.spec;
  const group = changes.conductorGroup === undefined ? state.spec.conductorGroup : changes.conductorGroup;
  return cluster && rollingOptions(offeredManifest(ring, cluster, group));
}

/** Attributes whose change creates, replaces or removes nodes. */
const attributesOfNodes = ['count', 'flavor', 'image', 'dataVolumeGb', 'volumes', 'options', 'zones'] as const;

/**
 * Checks a patch beyond the group itself. Throws RefusedError: with every broken rule, those of the driver's manifest included; `paused` or
 * `cluster-failed` where the patch creates, replaces or removes nodes; `no-conductor-available` where the patch moves the group, or changes
 * options, which only its driver can classify.
 */
export function checkPatch(
  { ring, projection }: { readonly ring: RingView; readonly projection: FleetProjection },
  state: NodeGroupState,
  changes: NodeGroupChanges,
  decision: Decision<NodeGroupEvent>,
): void {
  const cluster = clusterOf(projection, state);
  const broken = decision.ok ? undefined : decision.refusal;
  if (broken && broken.kind !== 'rule') throw new RefusedError(broken);
  if (!cluster) return;
  const group = changes.conductorGroup === undefined ? state.spec.conductorGroup : changes.conductorGroup;
  const manifest = offeredManifest(ring, cluster.spec, group);
  const problems: readonly Problem[] = [
    ...(broken?.errors ?? []),
    ...drivenGroupChanges.flatMap(name =>
      groupAttributeProblems(manifest, name, changes[name]).map(p => ({ ...p, pointer: `/${name}${p.pointer}` })),
    ),
    ...(changes.options === undefined ? [] : groupOptionProblems(manifest, changes.options, '/options')),
    ...unchangeableOptions(manifest, changedOptions(state.spec.options, changes.options ?? state.spec.options)),
    ...(changes.flavor === undefined ? [] : flavorProblems(manifest, changes.flavor, '/flavor')),
  ];
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  const replacesNodes = attributesOfNodes.some(name => changes[name] !== undefined);
  const refusal = clusterChangeRefusal(cluster);
  if (replacesNodes && refusal) throw new RefusedError(refusal);
  const { conductorGroup, driver, driverVersion } = cluster.spec;
  if (changes.conductorGroup !== undefined || changes.options !== undefined)
    requireDriver(ring, group ?? conductorGroup, driver, driverVersion);
}
