import { factOf, type HistoryEvent } from '../history.js';

export interface ProposalReport {
  /** What went wrong, in full sentences. */
  readonly broken: readonly string[];
  /** The changes of node groups that autoscalers made, by event. */
  readonly answered: Readonly<Record<string, number>>;
}

/** Returns where a node group left its bounds, or a proposal of the scheduler was answered more than once. */
export function checkProposals(events: readonly HistoryEvent[]): ProposalReport {
  const bounds = new Map<string, { count: number; min: number; max: number }>();
  const answers = new Map<string, number>();
  const answered: Record<string, number> = {};
  const broken: string[] = [];
  for (const event of events) {
    const [category, id = ''] = event.subject.split('/');
    if (category !== 'nodeGroup') continue;
    const group = bounds.get(id) ?? { count: 0, min: 0, max: Infinity };
    bounds.set(id, group);
    for (const part of [event.data, event.data['spec'], event.data['changes']]) take(group, part);
    if (group.count < group.min || group.count > group.max)
      broken.push(`${event.position} ${id}: ${group.count} nodes of ${group.min} to ${group.max}`);
    const proposal = proposalOf(event.data['cause']);
    if (proposal === undefined) continue;
    const fact = factOf(event);
    answered[fact] = (answered[fact] ?? 0) + 1;
    answers.set(`${id} ${proposal}`, (answers.get(`${id} ${proposal}`) ?? 0) + 1);
  }
  for (const [proposal, times] of answers)
    if (times > 1) broken.push(`proposal ${proposal} was answered ${times} times`);
  return { broken, answered };
}

function take(group: { count: number; min: number; max: number }, part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const { count, minCount, maxCount }: { count?: unknown; minCount?: unknown; maxCount?: unknown } = part;
  if (typeof count === 'number') group.count = count;
  if (typeof minCount === 'number') group.min = minCount;
  if (maxCount !== undefined) group.max = typeof maxCount === 'number' ? maxCount : Infinity;
}

function proposalOf(cause: unknown): string | undefined {
  return typeof cause === 'object' && cause !== null && 'proposalId' in cause ? String(cause.proposalId) : undefined;
}
