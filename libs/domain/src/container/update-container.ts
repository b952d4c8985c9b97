import { accept, refuse, type Decision } from '../kernel/decider.js';
import { labelProblems, mergeLabels } from '../kernel/merge-labels.js';
import { operationEnded, type OperationCommand } from '../kernel/operation.js';
import { brokenRules, conflict, notFound } from '../kernel/refusal.js';
import { containerRefusal } from './container-decider.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerContents } from './container-spec.js';
import type { ContainerState } from './container-state.js';

/** The attributes that can change in place. Absent members of `resources` stay as they are. */
export interface ContainerChanges {
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly resources?: ContainerContents['resources'];
  readonly restartPolicy?: ContainerContents['restartPolicy'];
}

/** Returns the contents after the changes. */
export function changedContents(contents: ContainerContents, changes: ContainerChanges): ContainerContents {
  const { labels, resources, restartPolicy } = changes;
  return {
    ...contents,
    ...(labels === undefined ? {} : { labels: mergeLabels(contents.labels, labels) }),
    ...(resources ? { resources: { ...contents.resources, ...resources } } : {}),
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  };
}

/**
 * Updates the container. Labels change at once. Limits and restart policy of a built container are applied by a task, and are refused
 * during other work. An update without effect results in no event. The caller reserves additional resources before.
 */
export function updateContainer(
  state: ContainerState,
  { changes, operation, ifMatch }: OperationCommand & { readonly changes: ContainerChanges },
): Decision<ContainerEvent> {
  const refusal = containerRefusal(state, ifMatch);
  const { contents, work } = state;
  if (refusal || !contents) return refuse(refusal ?? notFound('the container'));
  const { labels, resources, restartPolicy } = changedContents(contents, changes);
  const problems = changes.labels ? labelProblems(labels) : [];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const kept = same(resources, contents.resources) && restartPolicy === contents.restartPolicy;
  if (kept) return same(labels, contents.labels) ? accept() : accept({ type: 'ContainerUpdated', data: { labels } });
  if (work.wanted ?? work.claim)
    return refuse(conflict('busy', `the container is ${state.status}; wait for that or cancel it`));
  const exists = state.builtGeneration > 0;
  const ended = exists ? [] : [operationEnded(operation.id, 'SUCCEEDED')];
  const data = { labels, resources, restartPolicy, operation };
  return accept<ContainerEvent>({ type: 'ContainerUpdated', data }, ...ended);
}
