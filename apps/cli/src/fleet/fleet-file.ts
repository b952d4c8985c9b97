import { isDocument, type Document } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import { atTop, inCluster, kinds, type Kind } from './kinds.js';

/** An attachment of a policy. */
export interface Attachment {
  readonly policy: string;
  readonly enabled?: boolean;
  readonly priority?: number;
}

/** One resource of a file with what is inside it. */
export interface Entry {
  readonly kind: Kind;
  readonly name: string;
  /** Where it is in the file, such as `/clusters/0/nodeGroups/1`. */
  readonly pointer: string;
  readonly members: Document;
  readonly children: readonly Entry[];
  readonly policies: readonly Attachment[] | undefined;
}

class Problems {
  readonly found: string[] = [];

  add(pointer: string, text: string): void {
    this.found.push(`  ${pointer || '/'}: ${text}`);
  }

  throwIfAny(): void {
    if (this.found.length > 0) throw new UsageError(`the file cannot be applied:\n${this.found.join('\n')}`);
  }
}

const withPolicies = new Set(['clusters', 'containerSets', 'nodeGroups']);

function entries(kind: Kind, value: unknown, pointer: string, problems: Problems): Entry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    problems.add(pointer, 'must be a list');
    return [];
  }
  const names = new Set<string>();
  return value.flatMap((item: unknown, index) => {
    const at = `${pointer}/${index}`;
    if (!isDocument(item)) {
      problems.add(at, 'must be an object');
      return [];
    }
    const { name } = item;
    if (typeof name !== 'string' || name === '') {
      problems.add(`${at}/name`, 'is required: the name says which resource is meant');
      return [];
    }
    if (names.has(name.toLowerCase())) problems.add(`${at}/name`, `${name} is twice in the file`);
    names.add(name.toLowerCase());
    return [entry(kind, name, item, at, problems)];
  });
}

function entry(kind: Kind, name: string, item: Document, pointer: string, problems: Problems): Entry {
  const below = kind.member === 'clusters' ? inCluster : [];
  const known = new Set<string>([...kind.create, ...below, ...(withPolicies.has(kind.member) ? ['policies'] : [])]);
  for (const member of Object.keys(item)) if (!known.has(member)) problems.add(`${pointer}/${member}`, 'is unknown');
  return {
    kind,
    name,
    pointer,
    members: Object.fromEntries(kind.create.flatMap(member => (member in item ? [[member, item[member]]] : []))),
    children: below.flatMap(member => entries(kinds[member], item[member], `${pointer}/${member}`, problems)),
    policies: withPolicies.has(kind.member)
      ? attachments(item['policies'], `${pointer}/policies`, problems)
      : undefined,
  };
}

function attachments(value: unknown, pointer: string, problems: Problems): Attachment[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    problems.add(pointer, 'must be a list');
    return undefined;
  }
  return value.flatMap((item: unknown, index) => {
    const { policy, enabled, priority, ...rest } = Object(item) as Partial<Attachment>;
    for (const member of Object.keys(rest)) problems.add(`${pointer}/${index}/${member}`, 'is unknown');
    if (typeof policy === 'string')
      return [
        { policy, ...(enabled === undefined ? {} : { enabled }), ...(priority === undefined ? {} : { priority }) },
      ];
    problems.add(`${pointer}/${index}/policy`, 'is required');
    return [];
  });
}

/** Reads a fleet file that has been parsed. Throws UsageError with every member that is unknown or missing. */
export function fleetEntries(value: unknown): Entry[] {
  const problems = new Problems();
  if (!isDocument(value))
    throw new UsageError('a fleet file is an object with clusters, containerProfiles, containerSets or policies');
  for (const member of Object.keys(value))
    if (!(atTop as readonly string[]).includes(member))
      problems.add(`/${member}`, `is unknown; a fleet file has ${atTop.join(', ')}`);
  const all = atTop.flatMap(member => entries(kinds[member], value[member], `/${member}`, problems));
  problems.throwIfAny();
  return all;
}
