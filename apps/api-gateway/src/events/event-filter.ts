import type { Actor } from '@stave/contracts';
import { cloudEventType, clusterOf, isShown, splitStream, type RecordedEvent } from '@stave/platform';

export type EventPredicate = (event: RecordedEvent) => boolean;

/** A predicate of events, with what is needed to find it by an event. */
export interface StreamFilter {
  readonly selects: EventPredicate;
  /** Equal for filters that select the same events. */
  readonly key: string;
  /** A topic of every event that the filter selects. */
  readonly topic: string;
}

/**
 * Selects the events that a key may read: an administrator of the installation reads every public event, others read the events of
 * their projects. Events without a project, such as those of the ring, belong to the installation.
 */
export function visibleTo({ role, project, projects }: Actor): EventPredicate {
  const own = new Set(projects ?? (project === null ? [] : [project]));
  const operator = role === 'admin' && project === null;
  return ({ stream, metadata }) => {
    if (!isShown(stream)) return false;
    if (operator) return true;
    return project === null ? metadata.project !== undefined : own.has(metadata.project ?? '');
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

/** Returns what an event is about. A filter that selects an event has one of its topics. */
export function topicsOf(event: RecordedEvent): readonly string[] {
  const { category, id } = splitStream(event.stream);
  const { project } = event.metadata;
  const cluster = clusterOf(event);
  const topics = ['any', `resource ${id}`, `resource ${category}/${id}`];
  if (project !== undefined) topics.push(`project ${project}`);
  if (cluster !== undefined) topics.push(`cluster ${cluster}`);
  return topics;
}

function topicOf(actor: Actor, { cluster, project, resource }: EventSelection): string {
  if (resource !== undefined) return `resource ${resource}`;
  if (cluster !== undefined) return `cluster ${cluster}`;
  const only = project ?? (actor.projects ? null : actor.project);
  return only === null ? 'any' : `project ${only}`;
}

export function eventFilter(actor: Actor, selection: EventSelection = {}): StreamFilter {
  const visible = visibleTo(actor);
  return {
    selects: event => visible(event) && selects(selection, event),
    key: JSON.stringify([actor.role === 'admin', actor.project, actor.projects, Object.entries(selection).sort()]),
    topic: topicOf(actor, selection),
  };
}
