import { judgeNodeUnit, type NodeState } from '@stave/domain';
import { clusterFold, nodeFold } from '../services/models.js';
import type { Fold } from '../services/model.js';
import type { CloudUnit } from './cloud.js';
import type { EventLog } from './event-log.js';

export type Verdict = 'live' | 'gone' | 'never';

export function stateOf<S>(log: EventLog, fold: Fold<S>, id: string): S {
  return log.read(`${fold.category}-${id}`).reduce((state, recorded) => fold.evolve(state, recorded), fold.initial);
}

/** What the streams say of a unit. */
export function judgeUnit(log: EventLog, { kind, resourceId, generation }: CloudUnit): Verdict {
  if (kind === 'node') return judgeNodeUnit(stateOf(log, nodeFold, resourceId), generation);
  const { created, deleted } = stateOf(log, clusterFold, resourceId);
  return created ? (deleted ? 'gone' : 'live') : 'never';
}

/** Said anew, without the product's judge: nothing that is or may come to be uses this unit. */
export function isOrphan(log: EventLog, { kind, resourceId, generation }: CloudUnit): boolean {
  if (kind === 'cluster') return stateOf(log, clusterFold, resourceId).deleted;
  const node: NodeState = stateOf(log, nodeFold, resourceId);
  const built = log
    .read(`node-${resourceId}`)
    .flatMap(({ event }) =>
      event.type === 'TaskCompleted' ? [event.data as { kind: string; generation: number }] : [],
    )
    .filter(({ kind: task }) => task === 'node.create' || task === 'node.rebuild')
    .map(done => done.generation);
  return node.deleted || generation < Math.max(0, ...built);
}
