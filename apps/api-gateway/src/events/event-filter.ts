import type { Actor } from '@stave/contracts';
import { cloudEventType, clusterOf, isShown, splitStream, type RecordedEvent } from '@stave/platform';

export type EventPredicate = (event: RecordedEvent) => boolean;

/**
 * What a key may see: an administrator of the installation everything that is shown at all, others the events of their project.
 * Events without a project (the ring's, for one) are the installation's.
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
  /** `stave.node.created.v1`, or a prefix that ends in `*`. Any of them. */
  readonly types?: readonly string[];
  /** `nodeGroup/<id>` as in `subject`, or the id alone. */
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

/** Visible to the actor, and selected. */
export function eventFilter(actor: Actor, selection: EventSelection = {}): EventPredicate {
  const visible = visibleTo(actor);
  return event => visible(event) && selects(selection, event);
}
