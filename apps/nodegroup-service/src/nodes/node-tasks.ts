import { reportNodeTask, type ClusterState, type NodeState, type NodeMetadata } from '@stave/domain';
import type { TaskSource, TaskRouting } from '@stave/service-kit';
import type { NodeGroupModels } from '../nodegroup-models.js';

const MINUTE = 60_000;

/** ClusterSpec of the driver SDK. */
export function clusterSpecOf(state: ClusterState): Record<string, unknown> {
  const { created, spec } = state;
  if (!created || !spec) return {};
  const { id, name, projectId } = created;
  const { network, api, labels, options } = spec;
  return { id, name, projectId, generation: 1, network, api, labels, options };
}

function nodeSpec(models: NodeGroupModels, state: NodeState): Record<string, unknown> {
  const { declared } = state;
  if (!declared) return {};
  const cluster = models.clusters.get(declared.clusterId);
  const generation = state.generation;
  const options = { ...cluster?.spec?.options, ...declared.spec.options };
  const kind = state.work.wanted?.kind;
  if (kind !== 'node.create' && kind !== 'node.rebuild' && kind !== 'node.update')
    return { id: declared.id, clusterId: declared.clusterId, generation, options };
  const { id, name, ordinal, zone, region, spec, nodeGroupId, groupName } = declared;
  return {
    id,
    name,
    ordinal,
    generation,
    cluster: cluster ? clusterSpecOf(cluster) : {},
    nodeGroup: { id: nodeGroupId, name: groupName },
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
    ...spec,
    ...(kind === 'node.update' && state.updating ? tagsOf(state.updating) : {}),
    options,
  };
}

const tagsOf = ({ labels, taints }: NodeMetadata) => ({ labels, taints });

/** Which conductors look after a node; undefined before its cluster is built. */
export function placeOfNode(models: NodeGroupModels, state: NodeState): TaskRouting | undefined {
  const cluster = models.clusters.get(state.declared?.clusterId ?? '');
  const group = models.groups.get(state.declared?.nodeGroupId ?? '')?.spec?.conductorGroup;
  if (!cluster?.spec || !(cluster.built || state.removing)) return undefined;
  const { driver, driverVersion, conductorGroup } = cluster.spec;
  return { group: group ?? conductorGroup, driver, version: driverVersion };
}

/** Nothing is begun in a paused cluster; and no worker, where the driver needs managers, before there is one to join: it would take a conductor's lane to wait in. */
function mayBegin(models: NodeGroupModels, state: NodeState, needsManager: NeedsManager): boolean {
  const clusterId = state.declared?.clusterId ?? '';
  const cluster = models.clusters.get(clusterId);
  if (cluster?.paused) return false;
  if (!cluster?.spec || state.work.wanted?.kind !== 'node.create' || state.declared?.spec.role !== 'worker')
    return true;
  return !needsManager(cluster.spec.driver, cluster.spec.driverVersion) || !models.awaitsManager(clusterId);
}

/** By the manifest of a driver's version. */
export type NeedsManager = (driver: string, version: string) => boolean;

/** How nodes take part in the hand-out of tasks. */
export function nodeTasks(models: NodeGroupModels, needsManager: NeedsManager): TaskSource<NodeState> {
  return {
    type: 'node',
    model: models.nodes,
    work: state => state.work,
    place: (_id, state) => (mayBegin(models, state, needsManager) ? placeOfNode(models, state) : undefined),
    clusterId: state => state.declared?.clusterId ?? '',
    spec: (_id, state) => nodeSpec(models, state),
    report: reportNodeTask,
    context: state => {
      const operationId = state.work.wanted?.operationId || undefined;
      return {
        correlationId: operationId ?? state.declared?.id ?? '',
        project: state.declared?.projectId ?? '',
        clusterId: state.declared?.clusterId ?? '',
        ...(operationId === undefined ? {} : { operationId }),
      };
    },
    timeoutMs: () => 10 * MINUTE,
  };
}
