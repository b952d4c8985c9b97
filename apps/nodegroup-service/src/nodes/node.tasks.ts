import {
  accept,
  classifyNodeUnit,
  expectedNodeUnit,
  isActedOnAtOnce,
  isHeld,
  lacksMachine,
  machineForDriver,
  observeNode,
  omitUndefined,
  operationOfWork,
  reportNodeTask,
  requiresManager,
  startsWorkersEarly,
  type ClusterState,
  type NodeState,
  type NodeTaskKind,
} from '@stave/domain';
import type { ClusterSpec, DriverTask } from '@stave/driver-sdk';
import {
  conductorGroupOf,
  operationContext,
  type ClassifyUnit,
  type GroupsOfUnit,
  type HealthSource,
  type ProjectIdentities,
  type RingFollower,
  type TaskRouting,
  type TaskSource,
} from '@stave/service-kit';
import type { FleetProjection } from '../fleet/fleet.projection.js';

const MINUTE = 60_000;

/** The work of nodes that conductors claim. */
export function nodeTasks(
  projection: FleetProjection,
  ring: RingFollower,
  projects: ProjectIdentities,
): TaskSource<NodeState, 'node'> {
  return {
    type: 'node',
    model: projection.nodes,
    work: state => state.work,
    routing: (_id, state) => (mayStart(projection, ring, state) ? routingOf(projection, state) : undefined),
    clusterId: state => state.declared.clusterId,
    task: (kind, state) => nodeTask(projection, projects, kind, state),
    report: reportNodeTask,
    context: state => operationContext(state.declared, operationOfWork(state.work)),
    timeoutMs: () => 10 * MINUTE,
  };
}

/** The health of nodes; it is reported for nodes of paused clusters, too. */
export function nodeHealth(
  projection: FleetProjection,
  { model, context }: TaskSource<NodeState, 'node'>,
): HealthSource<NodeState> {
  return {
    model,
    context,
    routing: (_id, state) => routingOf(projection, state),
    observe: (state, seen) =>
      isInMotion(projection, state)
        ? accept()
        : observeNode(state, seen, projection.clusters.get(state.declared.clusterId)?.lossesAccepted ?? 0),
    expected: (resourceId, state) => {
      const seen = isInMotion(projection, state) ? undefined : expectedNodeUnit(state);
      const { generation, builtGeneration: built, result } = state;
      const suspected = state.suspectedLoss ? (true as const) : undefined;
      return seen && omitUndefined({ resourceId, generation, built, seen, engine: result?.engine, suspected });
    },
  };
}

/** Whether the driver rebuilds or reboots all nodes of the cluster at once: nobody knows which of them are to be seen. */
function isInMotion({ clusters }: FleetProjection, { declared }: NodeState): boolean {
  const cluster = clusters.get(declared.clusterId);
  return cluster !== undefined && isActedOnAtOnce(cluster);
}

/** Classifies a unit on the infrastructure by the node's stream. Units that are not nodes are kept. */
export function classifyNode({ nodes }: FleetProjection): ClassifyUnit {
  return async ({ resourceId, kind, generation }) => {
    if (kind !== 'node') return 'live';
    const known = nodes.get(resourceId);
    if (known && classifyNodeUnit(known, generation) === 'live') return 'live';
    return classifyNodeUnit((await nodes.load(resourceId)).state, generation);
  };
}

/** Returns the conductor group of a node, or none. */
export const groupsOfNode =
  (projection: FleetProjection): GroupsOfUnit =>
  id => {
    const node = projection.nodes.get(id);
    return (node && [conductorGroupOf(projection, node.declared)].filter(group => group !== undefined)) ?? [];
  };

/** Returns which conductors work on the node; undefined before its cluster is built. */
function routingOf({ clusters, groups }: FleetProjection, { declared, removing }: NodeState): TaskRouting | undefined {
  const cluster = clusters.get(declared.clusterId);
  if (!cluster || !(cluster.built || removing)) return undefined;
  const { driver, driverVersion, conductorGroup } = cluster.spec;
  const own = groups.get(declared.nodeGroupId)?.spec.conductorGroup;
  return { group: own ?? conductorGroup, driver, version: driverVersion };
}

/**
 * Whether conductors may start the wanted task. No task starts in a paused cluster or while its driver acts on all of it at once, and none that builds a node before its machine is claimed. Where the driver requires managers, no worker is created
 * before a manager is ready: the task would only wait, and occupy a conductor. A driver whose workers boot meanwhile may have them as soon as a
 * conductor builds a manager, which then has its place in the concurrency of the conductors.
 */
function mayStart(projection: FleetProjection, ring: RingFollower, state: NodeState): boolean {
  const { declared, work } = state;
  const clusterId = declared.clusterId;
  const cluster = projection.clusters.get(clusterId);
  const { spec } = cluster ?? {};
  if (
    (cluster && isHeld(cluster)) ||
    (lacksMachine(state) && work.wanted !== undefined && isBuilding(work.wanted.kind))
  )
    return false;
  if (!spec || work.wanted?.kind !== 'node.create' || declared.spec.role !== 'worker') return true;
  const stage = projection.managerStages.of(clusterId);
  if (!stage || !requiresManager(ring.view, spec.driver, spec.driverVersion)) return true;
  return stage === 'starting' && startsWorkersEarly(ring.view, spec.driver, spec.driverVersion);
}

type BuildingKind = 'node.create' | 'node.rebuild' | 'node.update';
const isBuilding = (kind: NodeTaskKind): kind is BuildingKind =>
  kind === 'node.create' || kind === 'node.rebuild' || kind === 'node.update';

function nodeTask(
  projection: FleetProjection,
  projects: ProjectIdentities,
  kind: NodeTaskKind,
  state: NodeState,
): DriverTask | undefined {
  const { declared, generation } = state;
  const { id, name, clusterId, ordinal, zone, region, nodeGroupId, groupName } = declared;
  const cluster = projection.clusters.get(clusterId);
  const spec = wantedSpec(kind, state);
  const options = { ...cluster?.spec.options, ...spec.options };
  const of = projection.machines.get(state.machineId ?? '');
  const machine = omitUndefined({ machine: of && machineForDriver(of) });
  if (!isBuilding(kind)) return { kind, spec: { id, clusterId, generation, options, ...machine } };
  if (!cluster) return undefined;
  const nodeGroup = { id: nodeGroupId, name: groupName };
  const location = omitUndefined({ zone, region });
  return {
    kind,
    spec: {
      id,
      name,
      ordinal,
      generation,
      cluster: clusterSpec(cluster, projects),
      nodeGroup,
      ...location,
      ...machine,
      ...spec,
      options,
    },
  };
}

/** Returns what the driver makes of the node: an update in place has the changes that it applies. */
function wantedSpec(kind: NodeTaskKind, { declared: { spec }, updating }: NodeState): NodeState['declared']['spec'] {
  if (kind !== 'node.update' || !updating) return spec;
  const { metadataGeneration: _number, ...changes } = updating;
  return { ...spec, ...changes };
}

function clusterSpec({ created, spec }: ClusterState, projects: ProjectIdentities): ClusterSpec {
  const { id, name, projectId } = created;
  const { network, api, labels, options } = spec;
  return { id, name, ...projects.of(projectId), generation: 1, network, api, labels, options };
}
