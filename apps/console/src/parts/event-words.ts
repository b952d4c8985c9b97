import { resourceTypes } from '../api/resource-types.js';

const spaced = (word: string): string =>
  word
    .replaceAll(/([A-Z])/g, ' $1')
    .toLowerCase()
    .trim();

/** `stave.cluster.becameActive.v1` as `became active`. */
export const eventTitle = (type: string): string => spaced(type.split('.')[2] ?? type);

/** The type and the id of what an event is about, from a subject such as `nodeGroup/<id>`. */
export function subjectOf(subject: string): readonly [type: string, id: string] {
  const [type = '', ...rest] = subject.split('/');
  return [type, rest.join('/')];
}

/** Streams that hold something of a resource under its id. */
const ownerOf: Readonly<Record<string, string>> = { placement: 'cluster', clusterGroups: 'cluster', quota: 'project' };

/** The type of the resource that a subject belongs to. */
export const resourceTypeOf = (type: string): string => ownerOf[type] ?? type;

export const typeTitle = (type: string): string => resourceTypes[type]?.title ?? spaced(type);

/** Who did it: a user or key by its name, a process of Stave by its kind. */
export function actorOf({ actor, actorname }: { readonly actor?: string; readonly actorname?: string }): string {
  if (actorname !== undefined) return actorname;
  const [kind = '', name = ''] = (actor ?? 'Stave').split('/');
  const text = kind === 'service' ? name : (actor ?? 'Stave');
  return text.replace(/-?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, '');
}
