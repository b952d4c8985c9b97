import { factOf, numberIn, textIn, type HistoryEvent } from '../history.js';

/** What one project had in all, whenever it had most, and has at the end; by dimension. */
export interface QuotaHistory {
  readonly most: Readonly<Record<Dimension, number>>;
  readonly last: Readonly<Record<Dimension, number>>;
}

type Dimension = 'nodes' | 'containers';

const typeOf = ({ subject }: HistoryEvent): string => subject.split('/')[0] ?? '';

/** Returns the number that the resource has after the event; null after its end, undefined where it stays. */
function after(event: HistoryEvent): number | null | undefined {
  const spec = event.data['spec'] as { readonly count?: number; readonly desired?: number } | undefined;
  switch (`${typeOf(event)}.${factOf(event)}`) {
    case 'nodeGroup.created':
      return spec?.count;
    case 'nodeGroup.resized':
    case 'nodeGroup.nodeRemovalAccepted':
      return numberIn(event, 'count');
    case 'containerSet.created':
      return spec?.desired;
    case 'containerSet.resized':
    case 'containerSet.memberRemovalAccepted':
      return numberIn(event, 'desired');
    case 'container.created':
      return event.data['setId'] === undefined ? 1 : undefined;
    case 'nodeGroup.deleted':
    case 'containerSet.deleted':
    case 'container.deleted':
      return null;
    default:
      return undefined;
  }
}

/** Counts the nodes and containers of a project from the events, without the code of the product. */
export function quotaHistory(events: readonly HistoryEvent[], projectId: string): QuotaHistory {
  const numbers = new Map<string, number>();
  const [most, last] = [
    { nodes: 0, containers: 0 },
    { nodes: 0, containers: 0 },
  ];
  for (const event of events) {
    const { subject } = event;
    const isOwn = numbers.has(subject) || textIn(event, 'projectId') === projectId;
    const next = isOwn ? after(event) : undefined;
    if (next === undefined) continue;
    const dimension = typeOf(event) === 'nodeGroup' ? 'nodes' : 'containers';
    last[dimension] += (next ?? 0) - (numbers.get(subject) ?? 0);
    if (next === null) numbers.delete(subject);
    else numbers.set(subject, next);
    most[dimension] = Math.max(most[dimension], last[dimension]);
  }
  return { most, last };
}
