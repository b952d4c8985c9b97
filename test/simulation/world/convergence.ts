import { isDeepStrictEqual } from 'node:util';
import type { Fold, Model } from '../services/model.js';
import { Violation } from '../kernel/simulator.js';
import { clusterFold, groupFold, nodeFold, registryFold } from '../services/models.js';
import { stateOf } from './judge.js';
import { CLUSTER } from './scenario.js';
import type { World } from './world.js';

/** What is not yet as it should be; undefined when everything is. */
export function unfinished(world: World): string | undefined {
  const { log, cloud } = world;
  const cluster = stateOf(log, clusterFold, CLUSTER);
  const [open] = log.oracle.openOperations;
  if (open) return `operation ${open.join(' ')} is open`;
  if (cluster.deleted) return cloud.list().length > 0 ? 'units of the deleted cluster are left' : undefined;
  if (cluster.status !== 'ACTIVE') return `the cluster is ${cluster.status}: ${cluster.statusReason ?? ''}`;
  const wanted = [CLUSTER];
  for (const { id } of cluster.created?.groups ?? []) {
    const { status, members, statusReason } = stateOf(log, groupFold, id);
    if (status !== 'ACTIVE') return `group ${id} is ${status}: ${statusReason ?? ''}`;
    for (const member of members.keys()) {
      const node = stateOf(log, nodeFold, member);
      if (node.status !== 'ACTIVE' || node.work.wanted) return `node ${member} is ${node.status}`;
      wanted.push(member);
    }
  }
  const there = cloud.list().map(({ resourceId }) => resourceId);
  const same = isDeepStrictEqual([...wanted].sort(), [...there].sort());
  return same ? undefined : `units ${there.join()} for ${wanted.join()}`;
}

/** Every replica, and the log read anew, say the same of everything. */
export function checkReplay(world: World): void {
  for (const { process, models } of world.replicas) {
    models.catchUp(() => undefined);
    compare(world, process.name, models.clusters, clusterFold);
    compare(world, process.name, models.registry, registryFold);
    compare(world, process.name, models.groups, groupFold);
    compare(world, process.name, models.nodes, nodeFold);
  }
}

function compare<S>(world: World, replica: string, model: Model<S>, fold: Fold<S>): void {
  for (const [id, { state, revision }] of model.entries) {
    const same =
      revision === world.log.read(model.stream(id)).length - 1 &&
      isDeepStrictEqual(state, stateOf(world.log, fold, id));
    if (!same) throw new Violation('replay-differs', `${replica}: ${model.stream(id)}`);
  }
}
