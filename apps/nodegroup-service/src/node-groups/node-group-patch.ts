import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  clusterWorkRefusal,
  pausedRefusal,
  type ClusterSpecification,
  type Decision,
  type GroupDefaults,
  type NodeGroupChanges,
  type NodeGroupEvent,
  type NodeGroupState,
  type Problem,
  type RingView,
} from '@stave/domain';
import { driverDefaults, flavorProblems, manifestOf, optionProblems, requireDriver } from '@stave/service-kit';
import type { NodeGroupModels } from '../nodegroup-models.js';

type Manifest = Readonly<Record<string, unknown>>;

const clusterOf = (models: NodeGroupModels, { declared }: NodeGroupState) =>
  models.clusters.get(declared?.clusterId ?? '');

/** The manifest by which the cluster's driver serves this conductor group; empty where nobody does. */
function servedManifest(ring: RingView, cluster: ClusterSpecification, group: string | null): Manifest {
  const { driver, driverVersion, conductorGroup } = cluster;
  const [version] = ring.versionsOffered(group ?? conductorGroup, driver, driverVersion);
  return version === undefined ? {} : (manifestOf(ring, driver, version) ?? {});
}

/** What null in a patch goes back to: what a group that leaves it open would get now. */
export function groupDefaultsIn(ring: RingView, models: NodeGroupModels, state: NodeGroupState): GroupDefaults {
  const cluster = clusterOf(models, state)?.spec;
  if (!cluster || !state.spec) return {};
  const manifest = servedManifest(ring, cluster, state.spec.conductorGroup);
  return { cluster: cluster.defaults, ...driverDefaults(manifest) };
}

/** What needs new nodes, or another number of them. */
const moving = ['count', 'flavor', 'image', 'dataVolumeGb', 'options', 'zones'] as const;

/**
 * What else must hold: the driver's own schema and smallest flavor, somebody who serves a new conductor group, a cluster that is
 * neither paused nor given up where nodes come or go. Throws RefusedError, with all broken rules at once.
 */
export function checkPatch(
  { ring, models }: { readonly ring: RingView; readonly models: NodeGroupModels },
  state: NodeGroupState,
  changes: NodeGroupChanges,
  decision: Decision<NodeGroupEvent>,
): void {
  const cluster = clusterOf(models, state);
  const broken = decision.ok ? undefined : decision.refusal;
  if (broken && broken.kind !== 'rule') throw new RefusedError(broken);
  if (!cluster?.spec || !state.spec) return;
  const group = changes.conductorGroup === undefined ? state.spec.conductorGroup : changes.conductorGroup;
  const manifest = servedManifest(ring, cluster.spec, group);
  const problems: readonly Problem[] = [
    ...(broken?.errors ?? []),
    ...(changes.options === undefined ? [] : optionProblems(manifest, changes.options, '/options')),
    ...(changes.flavor === undefined ? [] : flavorProblems(manifest, changes.flavor, '/flavor')),
  ];
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  const moves = moving.some(name => changes[name] !== undefined);
  const failed = clusterWorkRefusal(cluster);
  const refusal = pausedRefusal(cluster) ?? (failed?.code === 'cluster-failed' ? failed : undefined);
  if (moves && refusal) throw new RefusedError(refusal);
  const { conductorGroup, driver, driverVersion } = cluster.spec;
  if (changes.conductorGroup !== undefined) requireDriver(ring, group ?? conductorGroup, driver, driverVersion);
}
