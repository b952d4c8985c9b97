import { nodeGroupStatusReason, type NodeGroupState } from '@stave/domain';
import { cloudEvent, splitStream } from '@stave/platform';
import { checkHistory } from '../../fault/check-history.js';
import type { BrokenPromise } from '../../fault/history.js';
import { Violation } from '../kernel/simulator.js';
import type { Outside } from '../processes/ports.js';
import type { LogChecker } from './log-checker.js';
import type { ReferenceModel } from './reference-model.js';

/**
 * These promises hold only in a settled system: before, units are created and removed, and the sweep removes late ones.
 */
const settledOnly = new Set(['unit-missing', 'unit-left-over', 'built-twice']);
/**
 * No check can prevent a late change by a process that is frozen between its last check and the call. The simulation
 * freezes processes there, and the log checker reports every change that starts late.
 */
const unavoidable = 'late-effect-stays';

/** Returns the promises that the complete history breaks, by the rules of the fault tests. */
export function brokenPromises({ log, cloud }: Outside): readonly BrokenPromise[] {
  const events = log.events.map(event => ({ ...cloudEvent(event, 'simulation'), data: { ...(event.data as object) } }));
  return checkHistory({ events, journal: cloud.journal }).filter(({ promise }) => promise !== unavoidable);
}

/** Returns the violation that remains if nothing changes any more; undefined when the system is settled. */
export function unfinished(outside: Outside, reference: ReferenceModel, checker: LogChecker): Violation | undefined {
  const open = [...checker.openOperations].find(([, stream]) => !waitsForResources(reference, stream));
  const state = open ? `operation ${open.join(' of ')} is open` : unsettledState(reference);
  if (state !== undefined) return new Violation('not-converged', state);
  const broken = brokenPromises(outside);
  const hard = broken.find(({ promise }) => !settledOnly.has(promise));
  if (hard) outside.sim.broken(hard.promise, `${hard.resource}: ${hard.detail}`);
  const [soft] = broken;
  return soft && new Violation(soft.promise, `${soft.resource}: ${soft.detail}`);
}

/** The operation of a container stays open until a node has the resources for it. */
function waitsForResources({ containers }: ReferenceModel, stream: string): boolean {
  const { category, id } = splitStream(stream);
  return category === containers.category && containers.get(id)?.status === 'UNSCHEDULABLE';
}

/** A group with nodes that stay for their data waits for a request of a user. */
const staysForData = (group: NodeGroupState): boolean =>
  group.status === 'DEGRADED' &&
  nodeGroupStatusReason(group)?.includes('have data of volumes that are retained') === true;

function unsettledState({ clusters, groups, nodes, containers }: ReferenceModel): string | undefined {
  const waits = new Set([...groups.all.values()].flatMap(g => (staysForData(g) ? [g.declared.clusterId] : [])));
  for (const [id, { created, deleted, status, statusReason }] of clusters.all)
    if (created && !deleted && status !== 'ACTIVE' && !waits.has(id))
      return `cluster ${id} is ${status}: ${statusReason ?? ''}`;
  for (const [id, group] of groups.all)
    if (group.declared && !group.deleted && group.status !== 'ACTIVE' && !staysForData(group))
      return `group ${id} is ${group.status}`;
  for (const [id, { declared, deleted, status, work }] of nodes.all)
    if (declared && !deleted && (status !== 'ACTIVE' || work.wanted)) return `node ${id} is ${status}`;
  for (const [id, { declared, deleted, status, work }] of containers.all)
    if (declared && !deleted && (work.wanted || !settledContainer.has(status))) return `container ${id} is ${status}`;
  return undefined;
}

const settledContainer = new Set(['ACTIVE', 'STOPPED', 'UNSCHEDULABLE', 'FAILED']);
