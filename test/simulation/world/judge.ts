import { classifyNodeUnit } from '@stave/domain';
import type { CloudUnit } from './cloud.js';
import type { EventLog } from './event-log.js';
import type { Mutation } from './mutation.js';
import type { Truth } from './truth.js';

export type Verdict = 'live' | 'gone' | 'never';

/** What the streams say of a unit. */
export function classifyUnit(truth: Truth, { kind, resourceId, generation }: CloudUnit, mutation?: Mutation): Verdict {
  const node = truth.nodes.of(resourceId);
  if (kind === 'node' && mutation === 'sweep-judge') return generation < node.generation ? 'gone' : 'live';
  if (kind === 'node') return classifyNodeUnit(node, generation);
  const { created, deleted } = truth.clusters.of(resourceId);
  return created ? (deleted ? 'gone' : 'live') : 'never';
}

/** Said anew, without the product's judge: nothing that is or may come to be uses this unit. */
export function isOrphan(log: EventLog, truth: Truth, { kind, resourceId, generation }: CloudUnit): boolean {
  if (kind === 'cluster') return truth.clusters.of(resourceId).deleted;
  const built = log
    .read(`node-${resourceId}`)
    .flatMap(({ event }) =>
      event.type === 'TaskCompleted' ? [event.data as { kind: string; generation: number }] : [],
    )
    .filter(({ kind: task }) => task === 'node.create' || task === 'node.rebuild')
    .map(done => done.generation);
  return truth.nodes.of(resourceId).deleted || generation < Math.max(0, ...built);
}
