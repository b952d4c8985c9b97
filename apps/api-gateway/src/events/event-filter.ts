import type { Actor } from '@stave/contracts';
import { cloudEventType, clusterOf, isShown, splitStream, type RecordedEvent } from '@stave/platform';

export type EventPredicate = (event: RecordedEvent) => boolean;

/**
 * Selects the events that a key may read: an administrator of the installation reads every public event, others read the events of
 * their project. Events without a project, such as those of the ring, belong to the installation.
 */
export function visibleTo({ role, project }: Actor): EventPredicate {
  const operator = role === 'admin' && project === null;
  return ({ stream, metadata }) => {
    if (!isShown(stream)) return false;
    if (operator) return true;
    return project === null ? metadata.project !== undefined : metadata.project === project;
  };
}

export interface EventSelection {
  readonly cluster?: string;
  readonly project?: string;
  /** Event types such as `stave.node.created.v1`, or prefixes that end in `*`; an event matches any of them. */
  readonly types?: readonly string[];
  /** A subject such as `nodeGroup/<id>`, or an id. */
  readonly resource?: string;
}

const typeMatches = (wanted: string, type: string): boolean =>
  wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;

function selects({ cluster, project, types, resource }: EventSelection, event: RecordedEvent): boolean {
  if (cluster !== undefined && clusterOf(event) !== cluster) return false;
  if (project !== undefined && event.metadata.project !== project) return false;
  const { category, id } = splitStream(event.stream);
  if (resource !== undefined && resource !== id && resource !== `${category}/${id}`) return false;
  if (!types) return true;
  const type = cloudEventType(category, event.type, event.metadata.schemaVersion);
  return types.some(wanted => typeMatches(wanted, type));
}

export function eventFilter(actor: Actor, selection: EventSelection = {}): EventPredicate {
  const visible = visibleTo(actor);
  return event => visible(event) && selects(selection, event);
}
