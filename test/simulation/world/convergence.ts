import { isDeepStrictEqual } from 'node:util';
import { currentBuild, hasCondition, nodeGroupStatusReason, type NodeGroupState } from '@stave/domain';
import type { Fold, Model } from '../services/model.js';
import { Violation } from '../kernel/simulator.js';
import { clusterFold, groupFold, nodeFold, registryFold } from '../services/models.js';
import { foldAnew } from './truth.js';
import type { EventLog } from './event-log.js';
import { CLUSTER } from './scenario.js';
import type { World } from './world.js';

/** What is not yet as it should be; undefined when everything is. */
export function unfinished(world: World): string | undefined {
  const { log, cloud } = world;
  const cluster = log.truth.clusters.of(CLUSTER);
  const [open] = log.oracle.openOperations;
  if (open) return `operation ${open.join(' ')} is open`;
  if (cluster.deleted) return cloud.list().length > 0 ? 'units of the deleted cluster are left' : undefined;
  if (cluster.status !== 'ACTIVE') return `the cluster is ${cluster.status}: ${cluster.statusReason ?? ''}`;
  const wanted = [CLUSTER];
  for (const { id } of cluster.created?.groups ?? []) {
    const group = log.truth.groups.of(id);
    const { status, members } = group;
    const statusReason = nodeGroupStatusReason(group);
    if (status !== 'ACTIVE') return `group ${id} is ${status}: ${statusReason ?? ''}`;
    const late = lagging(log, group);
    if (late !== undefined) return late;
    for (const member of members.keys()) {
      const node = log.truth.nodes.of(member);
      if (node.status !== 'ACTIVE' || node.work.wanted) return `node ${member} is ${node.status}`;
      wanted.push(member);
    }
  }
  const there = cloud.list().map(({ resourceId }) => resourceId);
  const same = isDeepStrictEqual([...wanted].sort(), [...there].sort());
  return same ? undefined : `units ${there.join()} for ${wanted.join()}`;
}

/** A node that is not what its group is by now, though nobody called that off. */
function lagging({ truth }: EventLog, group: NodeGroupState): string | undefined {
  for (const { id, build, rolloutId, ordinal } of group.members.values()) {
    const node = truth.nodes.of(id);
    if (!hasCondition(group, 'RolloutHalted') && build !== currentBuild(group))
      return `node ${id} is of build ${build}`;
    if ((node.declared?.build ?? 0) !== build) return `node ${id} was declared with another build than ${build}`;
    if ((node.declared?.metadataGeneration ?? 0) !== group.metadataGeneration) return `node ${id} has labels of before`;
    const { rollout } = group;
    const through = rolloutId === rollout?.id && node.rollout?.id === rolloutId && node.rollout?.done;
    if (rollout?.status === 'completed' && ordinal < rollout.untilOrdinal && !through)
      return `node ${id} has missed its turn`;
  }
  return undefined;
}

/** Every replica, and the log read anew, say the same of everything. */
export function checkReplay(world: World): void {
  const models = world.replicas.map(replica => replica.models);
  for (const one of models) one.catchUp(() => undefined);
  compare(
    world,
    clusterFold,
    models.map(({ clusters }) => clusters),
  );
  compare(
    world,
    registryFold,
    models.map(({ registry }) => registry),
  );
  compare(
    world,
    groupFold,
    models.map(({ groups }) => groups),
  );
  compare(
    world,
    nodeFold,
    models.map(({ nodes }) => nodes),
  );
}

function compare<S>({ log }: World, fold: Fold<S>, models: readonly Model<S>[]): void {
  const ids = new Set(models.flatMap(({ entries }) => [...entries.keys()]));
  for (const id of ids) {
    const { length } = log.read(`${fold.category}-${id}`);
    const anew = foldAnew(log, fold, id);
    for (const { entries } of models) {
      const entry = entries.get(id);
      if (entry?.revision !== length - 1 || !isDeepStrictEqual(entry.state, anew))
        throw new Violation('replay-differs', `${fold.category}-${id}`);
    }
  }
}
